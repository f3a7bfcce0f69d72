import { useRef } from "preact/hooks";
import { commandsOf, takesKeys, type CommandLine, type PageWithCalls } from "../../text/commands/commands.ts";
import { CopyButton } from "../copy/copy-button.tsx";
import "../shared-by-pages.ts";

export interface CommandsProps {
  page: PageWithCalls;
  /** The name of the app or of the server that the page is of, or the id of the team. */
  of?: string;
}

/** Lists a page's actions as lines for a terminal, each with a button that copies it. */
export function CommandList({ page, of = "" }: CommandsProps) {
  return (
    <>
      {takesKeys(page) ? <ForKeys /> : <ForOperators />}
      {commandsOf(page, of, location.origin).map(({ does, lines }) => (
        <div key={does}>
          <h2>{does}</h2>
          {lines.map((line) => (
            <Line key={line.tool} does={does} line={line} />
          ))}
        </div>
      ))}
    </>
  );
}

function ForKeys() {
  return (
    <p>
      The key is <a href="/settings/keys">one of yours</a> for the team, in <code>SVC_API_KEY</code>. For{" "}
      <code>svc</code> either run <code>svc login {location.origin}</code> once, or set{" "}
      <code>SVC_URL={location.origin}</code> beside the key.
    </p>
  );
}

function ForOperators() {
  return (
    <p>
      No key does what operators do. <code>npm run admin</code> runs on the control plane's machine. <code>curl</code>{" "}
      takes the cookie of your session, with its name, from <code>SVC_SESSION</code>; the browser's developer tools show
      it. Until you sign out, it lets anybody act as you.
    </p>
  );
}

function Line({ does, line: { tool, text } }: { does: string; line: CommandLine }) {
  const shown = useRef<HTMLPreElement>(null);
  return (
    <div class="row">
      <pre ref={shown} tabIndex={0} aria-label={`${does}, as ${tool}`}>
        {text}
      </pre>
      <CopyButton text={text} object={`${tool}: ${does}`} shownIn={shown} />
    </div>
  );
}
