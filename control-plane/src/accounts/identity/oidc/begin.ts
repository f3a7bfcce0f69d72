import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { invalid } from "../../../platform/invalid.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { hashToken } from "../one-time-token.ts";
import { proveOwner } from "../passwords/prove-owner.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { ATTEMPT_SECONDS, attemptCookie, makeAttempt, setAttempt } from "./attempt.ts";
import { readConnections } from "./connections.store.ts";
import { insertAttempt } from "./oidc-attempts.store.ts";
import type { OidcProvider } from "./provider.ts";
import { unlessRefused, type Landing } from "./refused.ts";
import { signInPage } from "./sign-in-subject.ts";

/** The page that shows connections. */
const PROFILE = "/settings/profile";

/**
 * Whether a browser says that a request is one of its windows going on from a page of ours, or from its own address bar (Fetch Metadata
 * Request Headers). Browsers before 2023 say nothing.
 */
function isOwnStep(headers: Headers): boolean {
  const [site, destination] = [headers.get("Sec-Fetch-Site"), headers.get("Sec-Fetch-Dest")];
  return ["same-origin", "none", null].includes(site) && ["document", null].includes(destination);
}

/**
 * Begins a sign-in: the browser goes to the provider, and comes back to `answerCallback`. What another
 * site's page has begun leads to the sign-in page and is not counted: it could use up the attempts of whoever looks at it.
 * @param redirectTo a path of this service
 * @throws Refused, SvcError rate_limited
 */
export async function beginSignIn(
  identity: Identity,
  visit: Visit,
  { provider, redirectTo }: { provider: string; redirectTo: string },
): Promise<Landing> {
  if (!isOwnStep(visit.headers)) return { location: signInPage(redirectTo), cookies: [] };
  await limitAttempts(identity.db, "address", visit.address);
  return begin(identity, identity.oidc.find(provider), { redirectTo, userId: null });
}

/**
 * Begins to connect a provider to the caller's account; a provider that does not answer leads back to the profile.
 * @throws SvcError credentials_invalid, invalid_request, not_found, rate_limited
 */
export async function beginConnection(
  identity: Identity,
  session: Session,
  { provider: id, password }: { provider: string; password: string | undefined },
): Promise<Landing> {
  const { db, oidc } = identity;
  const provider = oidc.providers.find((each) => each.id === id);
  if (!provider) throw new SvcError("not_found", "This service does not know the provider. Load the page again.");
  const lockOwner = await proveOwner(identity, session, password);
  const connections = await inTransaction(db, async (tx) => readConnections(tx, (await lockOwner(tx)).id));
  if (connections.some(({ issuer }) => issuer === provider.issuer)) {
    throw invalid(`An account at ${provider.name} is connected already. Disconnect it first.`);
  }
  return unlessRefused(PROFILE, () => begin(identity, provider, { redirectTo: PROFILE, userId: session.userId }));
}

async function begin(
  { db, oidc, cookie }: Identity,
  provider: OidcProvider,
  purpose: { redirectTo: string; userId: string | null },
): Promise<Landing> {
  const attempt = makeAttempt();
  const location = await (await oidc.client(provider)).signInAddress(attempt);
  const tokenHash = hashToken(attempt.token);
  await insertAttempt(db, { tokenHash, provider: provider.id, ...purpose, seconds: ATTEMPT_SECONDS });
  return { location, cookies: [setAttempt(attempt, attemptCookie(cookie))] };
}
