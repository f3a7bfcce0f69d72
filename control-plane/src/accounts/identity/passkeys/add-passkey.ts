import { inTransaction } from "../../../platform/database/database.ts";
import { invalid } from "../../../platform/invalid.ts";
import { factorChangedMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { hashToken, makeToken } from "../one-time-token.ts";
import { proveOwnerFully, type Proof } from "../passwords/prove-owner.ts";
import { lockPerson } from "../people.store.ts";
import { requireOpenSession } from "../sessions/require-open-session.ts";
import type { Session, Visit } from "../sessions/session.ts";
import type { NewPasskeyAnswer } from "./passkey-answers.ts";
import { creationOptions, requireRelyingParty, requireRoomForPasskey } from "./passkey.ts";
import { insertChallenge, insertPasskey, readPasskeys, takeChallenge, type PasskeyRow } from "./passkeys.store.ts";

/**
 * Begins to add a passkey for the caller. It takes the place of password and second factor: both are asked for.
 * @returns options for `navigator.credentials.create`, and the ticket that the answer comes with
 * @throws SvcError credentials_invalid, rate_limited; invalid_request where there are no passkeys, or too many
 */
export async function beginPasskey(
  identity: Identity,
  visit: Visit,
  session: Session,
  proof: Proof,
): Promise<{ ticket: string; options: object }> {
  const party = requireRelyingParty(identity.baseUrl);
  const ticket = makeToken();
  const lockOwner = await proveOwnerFully(identity, session, proof);
  return inTransaction(identity.db, async (tx) => {
    const person = await lockOwner(tx);
    const known = await readPasskeys(tx, person.id);
    requireRoomForPasskey(known.length);
    const challenge = hashToken(ticket);
    await insertChallenge(tx, challenge, person.id);
    await auditPerson(tx, visit, person.id, { action: "passkey.begin" });
    return { ticket, options: creationOptions(party, person, challenge, known) };
  });
}

/**
 * Adds the passkey that an authenticator has made. The ticket is the proof that the caller was there; it works once, and ends
 * with the password.
 * @throws SvcError invalid_request
 */
export async function addPasskey(
  identity: Identity,
  visit: Visit,
  session: Session,
  { ticket, name, answer }: { ticket: string; name: string; answer: NewPasskeyAnswer },
): Promise<PasskeyRow> {
  const { db, service } = identity;
  const { userId } = session;
  const party = requireRelyingParty(identity.baseUrl);
  const challenge = hashToken(ticket);
  const { knownTransports, readNewPasskey } = await import("./webauthn.ts");
  const made = await readNewPasskey(answer, challenge, party);
  if (!made) {
    await takeChallenge(db, challenge, userId);
    throw invalid("The passkey was not made as this service asks for it. Add it again, or use another device.");
  }
  return inTransaction(db, async (tx) => {
    const person = await lockPerson(tx, userId);
    await requireOpenSession(tx, session);
    // A new password ends it; it has locked the same person.
    if (!person || !(await takeChallenge(tx, challenge, userId))) {
      throw invalid("This took too long, or was done already. Add the passkey again.");
    }
    requireRoomForPasskey((await readPasskeys(tx, userId)).length);
    const transports = knownTransports(answer.response.transports);
    const passkey = await insertPasskey(tx, { ...made, userId, name, transports });
    if (!passkey) throw invalid("This passkey is registered already. Sign in with it, or add another one.");
    await auditPerson(tx, visit, userId, { action: "passkey.create", target: `passkey:${passkey.id}` });
    await identity.sendMail(tx, person.email, factorChangedMail({ service, factor: "passkey", isOn: true, name }));
    return passkey;
  });
}
