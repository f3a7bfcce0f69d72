import { useSignal } from "@preact/signals";
import type { Command } from "../../text/commands.ts";

/** Shows how the page's actions are done from a terminal; the list is loaded when somebody asks. */
export function Commands({ tab, app }: { tab: string; app: string }) {
  const commands = useSignal<readonly Command[]>([]);
  async function load() {
    const { commandsOf } = await import("../../text/commands.ts");
    commands.value = commandsOf(tab, app, location.origin);
  }
  return (
    <details class="commands" onToggle={() => void load()}>
      <summary>The same from a terminal</summary>
      <p>
        The key is one of <a href="/settings/keys">yours</a>, in <code>SVC_API_KEY</code>; <code>svc</code> takes it
        from there, or from <code>svc login {location.origin}</code>.
      </p>
      {commands.value.map(({ does, curl, svc }) => (
        <div key={does}>
          <h2>{does}</h2>
          <pre tabIndex={0} aria-label={`${does}, as commands`}>
            {svc === undefined ? curl : `${svc}\n${curl}`}
          </pre>
        </div>
      ))}
    </details>
  );
}
