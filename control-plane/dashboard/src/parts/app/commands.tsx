import { commandsOf } from "../../text/commands.ts";

/** How what the page does is done from a terminal. */
export function Commands({ tab, app }: { tab: string; app: string }) {
  const commands = commandsOf(tab, app, location.origin);
  if (commands.length === 0) return null;
  return (
    <details class="commands">
      <summary>The same from a terminal</summary>
      <p>
        The key is one of <a href="/settings/keys">yours</a>, in <code>SVC_API_KEY</code>; <code>svc</code> takes it
        from there, or from <code>svc login {location.origin}</code>.
      </p>
      {commands.map(({ does, curl, svc }) => (
        <section key={does} aria-label={does}>
          <h3>{does}</h3>
          <pre tabIndex={0} aria-label={`${does}, as commands`}>
            {svc === undefined ? curl : `${svc}\n${curl}`}
          </pre>
        </section>
      ))}
    </details>
  );
}
