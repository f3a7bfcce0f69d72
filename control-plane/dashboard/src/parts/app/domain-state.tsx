import { answerOf, api } from "../../client/api.ts";
import { Show } from "../loaded.tsx";
import { useRefreshed } from "../refreshed.tsx";
import { Time } from "../time.tsx";

/** Each look is a connection to the domain. */
const EVERY_MS = 10_000;

/** Tells what a domain serves now, and what it still needs. The control plane opens a connection to it to find out. */
export function DomainState({ app, domain }: { app: string; domain: string }) {
  const path = { name: app, domain };
  const state = useRefreshed(
    () => answerOf(api.GET("/api/apps/{name}/domains/{domain}", { params: { path } })),
    EVERY_MS,
  );
  return (
    <Show of={state}>
      {({ status, cert, detail, missing = [] }) => (
        <>
          {cert !== undefined && (
            <p>
              It serves with a certificate of {cert.issuer}, good until <Time at={cert.not_after} />.
            </p>
          )}
          {status === "pending" && missing.length === 0 && <p class="broken">It does not serve yet: {detail}</p>}
          {missing.map(({ part, detail: why }) => (
            <p key={part} class="broken">
              {why}
            </p>
          ))}
        </>
      )}
    </Show>
  );
}
