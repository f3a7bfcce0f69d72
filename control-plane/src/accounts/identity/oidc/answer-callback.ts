import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { hashToken } from "../one-time-token.ts";
import { removedCookie, type Visit } from "../sessions/session.ts";
import { type Attempt, attemptCookie, hasState, readAttempt } from "./attempt.ts";
import { type AttemptRow, takeAttempt } from "./oidc-attempts.store.ts";
import { type Landing, Refused, unlessRefused } from "./refused.ts";
import { signInPage, signInSubject } from "./sign-in-subject.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { providerChangedMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import { lockPerson } from "../people.store.ts";
import { isOpenSession } from "../sessions/sessions.store.ts";
import { insertConnection, readConnectedUser, readConnections } from "./connections.store.ts";
import type { ProvenSubject } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";

/**
 * Ends what a browser has begun at a provider: it is that very browser, it has the state, and it comes once.
 * @param query of the redirect URI
 * @throws Refused when it is not, SvcError rate_limited
 */
export async function answerCallback(
  identity: Identity,
  visit: Visit,
  { provider: id, query }: { provider: string; query: Readonly<Record<string, string>> },
): Promise<Landing> {
  const provider = identity.oidc.find(id);
  const cookie = attemptCookie(identity.cookie);
  const attempt = readAttempt(visit.headers, cookie);
  // It is not counted: any page can send browsers here, and without the cookie there is nothing to guess.
  if (!attempt) throw new Refused("expired");
  await limitAttempts(identity.db, "address", visit.address);
  const begun = await requireBegun(identity, attempt, { id, state: query["state"] ?? "" });
  const page = begun.userId === null ? signInPage(begun.redirectTo) : begun.redirectTo;
  const landing = await unlessRefused(page, async () => {
    const client = await identity.oidc.client(provider);
    const proven = await client.proveSubject(new URLSearchParams(query), attempt);
    return begun.userId === null
      ? signInSubject(identity, visit, { provider, proven, redirectTo: begun.redirectTo })
      : finishConnection(identity, visit, { provider, proven, userId: begun.userId, page });
  });
  return { ...landing, cookies: [...landing.cookies, removedCookie(cookie)] };
}

/** A wrong state takes nothing, so that a link from elsewhere does not end what the person has begun. */
async function requireBegun(
  { db }: Identity,
  attempt: Attempt,
  { id, state }: { id: string; state: string },
): Promise<AttemptRow> {
  const begun = hasState(attempt, state) ? await takeAttempt(db, hashToken(attempt.token)) : undefined;
  if (begun?.provider !== id) throw new Refused("expired");
  return begun;
}

/**
 * Connects the provider to the account of whoever began it, and tells them by mail.
 * @param parts.userId who began it
 * @throws Refused also when their session has ended meanwhile
 */
async function finishConnection(
  identity: Identity,
  visit: Visit,
  parts: { provider: OidcProvider; proven: ProvenSubject; userId: string; page: string },
): Promise<Landing> {
  const { provider, proven, userId, page } = parts;
  const { session } = visit;
  if (session?.userId !== userId) throw new Refused("signed_out");
  const subject = { issuer: provider.issuer, subject: proven.subject };
  await inTransaction(identity.db, async (tx) => {
    const person = await lockPerson(tx, userId);
    // The provider took its time: a new password may have ended the session since it was read.
    if (!person || !(await isOpenSession(tx, userId, session.sessionId))) throw new Refused("signed_out");
    if ((await readConnectedUser(tx, subject)) === userId) return;
    const connections = await readConnections(tx, userId);
    if (connections.some(({ issuer }) => issuer === provider.issuer)) throw new Refused("expired");
    if (!(await insertConnection(tx, userId, subject))) throw new Refused("connected_elsewhere");
    const { id, issuer } = provider;
    await auditPerson(tx, visit, userId, { action: "provider.connect", detail: { provider: id, issuer } });
    const mail = providerChangedMail({ service: identity.service, provider: provider.name, isOn: true });
    await identity.sendMail(tx, person.email, mail);
  });
  return { location: page, cookies: [] };
}
