import { refusalSentence } from "@svc/control-plane/accounts/identity/oidc/refusal-reasons.ts";
import type { Provider } from "../client/answers.ts";
import { Complaint } from "./complaint.tsx";

interface ProviderLinksProps {
  providers: readonly Provider[];
  /** A path to come back to. */
  to: string | null;
}

/** Ways to sign in at a provider. Each is a link: the browser leaves this page. */
export function ProviderLinks({ providers, to }: ProviderLinksProps) {
  if (providers.length === 0) return null;
  const query = to === null ? "" : `?to=${encodeURIComponent(to)}`;
  return (
    <ul class="ways" aria-label="Other ways to sign in">
      {providers.map(({ id, name }) => (
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
