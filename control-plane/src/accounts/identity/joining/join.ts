import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { inTransaction, type Db } from "../../../platform/database/database.ts";
import { DEFAULT_TIER } from "../../tier.ts";
import { insertUser, markEmailVerified, readUserByEmail } from "../../users.store.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { endJoinInvitations, readJoinInvitation, useJoinInvitation } from "./join-invitations.store.ts";
import { hashToken, isToken } from "../one-time-token.ts";
import { openSession } from "../sessions/open-session.ts";
import { joinInvitedTeam, memberJoined, readInvitedAddress } from "../../teams/invite.ts";
import { checkPassword } from "../passwords/password-rules.ts";
import { hasWayIn, lockPerson, writeName, writePassword, type Person } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { requireInvitedSignUp, type SignUpPolicy } from "./sign-up-policy.ts";

/**
 * Sets name and password of the person that a one-time link was made for, makes their account if there is none, and signs
 * them in. The link proves the address.
 * @returns the header Set-Cookie
 * @throws SvcError link_invalid, invalid_request, sign_up_closed
 */
export async function join(
  identity: Identity,
  visit: Visit,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<string> {
  const { db, hashes, signUp } = identity;
  const tokenHash = hashToken(token);
  const invited = isToken(token) ? await readInvited(db, tokenHash) : undefined;
  if (invited === undefined) throw invalidLink();
  checkPassword(password, invited);
  const engine = await identity.engine();
  const passwordHash = await hashes.run(() => engine.hashPassword(password));

  return inTransaction(db, async (tx) => {
    // Before the invitation, in the order of a reset: two requests that wait for one another would both fail.
    const person = await lockInvited(tx, signUp, invited);
    const { id: userId, email } = person;
    const isUsable = (await useJoinInvitation(tx, tokenHash)) !== undefined;
    const team = isUsable ? undefined : await joinInvitedTeam(tx, tokenHash, { userId, email });
    // Who has a way in has joined otherwise: this link must not replace a password, or add one.
    if (!(isUsable || team) || (await hasWayIn(tx, person.id))) throw invalidLink();
    await writePassword(tx, person.id, passwordHash);
    await writeName(tx, person.id, name);
    await markEmailVerified(tx, person.id);
    await endJoinInvitations(tx, invited);
    await auditPerson(tx, visit, person.id, { action: "user.join" });
    if (team) await auditPerson(tx, visit, userId, { ...memberJoined(team, userId), teamId: team.teamId });
    return openSession(identity, tx, { engine, visit, userId: person.id, how: "join" });
  });
}

/** The address that the link was sent to: to make an account, or to join a team. */
async function readInvited(db: Db, tokenHash: Buffer): Promise<string | undefined> {
  return (await readJoinInvitation(db, tokenHash)) ?? (await readInvitedAddress(db, tokenHash));
}

async function lockInvited(tx: Db, policy: SignUpPolicy, email: string): Promise<Person> {
  let id = (await readUserByEmail(tx, email))?.id;
  if (id === undefined) {
    requireInvitedSignUp(policy, email);
    const made = await insertUser(tx, { id: newId(), email, tier: DEFAULT_TIER, emailVerifiedAt: new Date() });
    // Another request made it between the two statements.
    id = made?.id ?? (await readUserByEmail(tx, email))?.id;
  }
  const person = id === undefined ? undefined : await lockPerson(tx, id);
  if (!person) throw invalidLink();
  return person;
}

function invalidLink(): SvcError {
  return new SvcError("link_invalid", "This link was used already, or has expired. Ask for a new invitation.");
}
