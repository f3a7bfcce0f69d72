import { inTransaction, type Db } from "../../../platform/database/database.ts";
import { passkeyCopiedMail } from "../../mail/mail-text.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { hashToken, makeToken } from "../one-time-token.ts";
import { openSession } from "../sessions/open-session.ts";
import { lockPerson, type Person } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import type { SignatureAnswer } from "./passkey-answers.ts";
import { isCounterAhead, passkeyRefused, requestOptions, requireRelyingParty, userHandleOf } from "./passkey.ts";
import {
  insertChallenge,
  notePasskeyUse,
  readPasskey,
  readPasskeyByCredential,
  takeChallenge,
  type PasskeyRow,
} from "./passkeys.store.ts";

/**
 * Begins a sign-in of somebody who has yet to say who they are.
 * @returns options for `navigator.credentials.get`, and the ticket that the answer comes with
 * @throws SvcError invalid_request where there are no passkeys
 */
export async function beginPasskeySignIn({ db, baseUrl }: Identity): Promise<{ ticket: string; options: object }> {
  const party = requireRelyingParty(baseUrl);
  const ticket = makeToken();
  const challenge = hashToken(ticket);
  await insertChallenge(db, challenge, null);
  return { ticket, options: requestOptions(party, challenge) };
}

/**
 * Opens a session for the owner of a passkey. The passkey has verified its person, so it is both factors: no code is asked for.
 * @returns the header Set-Cookie
 * @throws SvcError credentials_invalid, invalid_request, rate_limited
 */
export async function signInWithPasskey(
  identity: Identity,
  visit: Visit,
  { ticket, answer }: { ticket: string; answer: SignatureAnswer },
): Promise<string> {
  const { db } = identity;
  const party = requireRelyingParty(identity.baseUrl);
  await limitAttempts(db, "passkey", answer.id);
  const challenge = hashToken(ticket);
  if (!(await takeChallenge(db, challenge, null))) throw passkeyRefused();
  const passkey = await readPasskeyByCredential(db, Buffer.from(answer.id, "base64url"));
  if (!passkey || answer.response.userHandle !== userHandleOf(passkey.userId)) throw passkeyRefused();
  const { readSignature } = await import("./webauthn.ts");
  const signature = await readSignature(answer, passkey, challenge, party);
  if (!signature) throw passkeyRefused();

  const engine = await identity.engine();
  const cookie = await inTransaction(db, async (tx) => {
    const person = await lockPerson(tx, passkey.userId);
    // It may have been removed, or used, while this waited for the lock.
    const current = await readPasskey(tx, passkey.userId, passkey.id);
    if (!person || !current) throw passkeyRefused();
    if (!isCounterAhead(current.counter, signature.counter)) {
      return noteCopy(identity, tx, visit, { person, passkey: current, counter: signature.counter });
    }
    await notePasskeyUse(tx, current.id, signature);
    return openSession(identity, tx, { engine, visit, userId: person.id, how: "passkey" });
  });
  if (cookie === undefined) throw passkeyRefused();
  return cookie;
}

/** Writes down, and tells the passkey's owner, that somebody seems to have a copy of it. */
async function noteCopy(
  identity: Identity,
  tx: Db,
  visit: Visit,
  { person, passkey, counter }: { person: Person; passkey: PasskeyRow; counter: number },
): Promise<undefined> {
  const detail = { reason: "signature counter", expected_above: passkey.counter, counter };
  await auditPerson(tx, visit, person.id, { action: "passkey.refuse", target: `passkey:${passkey.id}`, detail });
  const facts = { service: identity.service, at: identity.clock.now(), address: visit.address, name: passkey.name };
  await identity.sendMail(tx, person.email, passkeyCopiedMail(facts));
}
