import { answerOf, api } from "../../client/api.ts";
import { certificateTerm, DOMAIN_SOON_MS } from "../../text/certificate-term.ts";
import { Show } from "../loaded.tsx";
import { useRefreshed } from "../refreshed.tsx";
import { Time } from "../time.tsx";

/** Each look is a connection to the domain, and the page is to tell within 10 s what it finds. */
const EVERY_MS = 6_000;

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
          {cert !== undefined && <Certificate issuer={cert.issuer} until={cert.not_after} />}
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

/** Says until when the certificate is good; aloud when it has ended, or does so soon and was not renewed. */
function Certificate({ issuer, until }: { issuer: string; until: string }) {
  const term = certificateTerm(until, new Date(), DOMAIN_SOON_MS);
  if (term === "good") {
    return (
      <p>
        It serves with a certificate of {issuer}, good until <Time at={until} />.
      </p>
    );
  }
  return (
    <p class="broken">
      {term === "ended" ? "Its certificate has expired: browsers refuse it since" : "Its certificate ends soon, at"}{" "}
      <Time at={until} />. {issuer} has not renewed it.
    </p>
  );
}
