import { refusalSentence } from "@svc/control-plane/accounts/identity/oidc/refusal-reasons.ts";
import type { Provider } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { Complaint } from "./form.tsx";
import { useLoaded } from "./loaded.tsx";

/** Ways to sign in at a provider. Each is a link: the browser leaves this page. @param to a path to come back to */
export function ProviderLinks({ to }: { to: string | null }) {
  const { value } = useLoaded(() => ask<{ providers: Provider[] }>("GET", "/auth/oidc"));
  if (value === undefined || value.providers.length === 0) return null;
  const query = to === null ? "" : `?to=${encodeURIComponent(to)}`;
  return (
    <ul class="ways" aria-label="Other ways to sign in">
      {value.providers.map(({ id, name }) => (
        <li key={id}>
          <a class="button" href={`/auth/oidc/${id}${query}`}>
            Sign in with {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Says why a provider led back here without success. */
export function ProviderRefusal() {
  const sentence = refusalSentence(new URLSearchParams(location.search).get("refused"));
  return sentence === undefined ? null : <Complaint sentence={sentence} />;
}
