import { type Db, inTransaction } from "../../../platform/database/database.ts";
import type { Identity } from "../identity.ts";
import { openSessionOrAsk } from "../sessions/open-session-or-ask.ts";
import { hasWayIn, lockPerson, type Person, PERSON_NAME_LENGTH_MAX, writeName } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { insertConnection, readConnectedUser, type Subject } from "./connections.store.ts";
import type { Profile, ProvenSubject } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";
import { type Landing, Refused } from "./refused.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { hasControlCharacter } from "../../../platform/invalid.ts";
import { isEmail } from "../../email.ts";
import { hasInvitation } from "../../teams/invitations.store.ts";
import { DEFAULT_TIER } from "../../tier.ts";
import { insertUser, markEmailVerified, readUserByEmail } from "../../users.store.ts";
import { auditPerson } from "../audit-person.ts";
import { endJoinInvitations, hasJoinInvitation } from "../joining/join-invitations.store.ts";
import { allowsDomain, type SignUpPolicy } from "../joining/sign-up-policy.ts";

/**
 * Signs the person in to whose account the provider is connected, or makes an account. A second factor is asked for as
 * after a password.
 * @throws Refused
 */
export async function signInSubject(
  identity: Identity,
  visit: Visit,
  { provider, proven, redirectTo }: { provider: OidcProvider; proven: ProvenSubject; redirectTo: string },
): Promise<Landing> {
  const { db } = identity;
  const subject = { issuer: provider.issuer, subject: proven.subject };
  const engine = await identity.engine();
  const isConnected = (await readConnectedUser(db, subject)) !== undefined;
  // Asks the provider, and so before the transaction.
  const profile = isConnected ? undefined : await proven.readProfile();
  const signedIn = await inTransaction(db, async (tx) => {
    const connected = await lockConnected(tx, subject);
    const person = connected ?? (profile && (await makeAccount(identity, tx, visit, { provider, subject, profile })));
    // It was disconnected between the two looks.
    if (!person) throw new Refused("expired");
    return openSessionOrAsk(identity, tx, { engine, visit, person, how: "oidc" });
  });
  if ("cookie" in signedIn) return { location: redirectTo, cookies: [signedIn.cookie] };
  return { location: `${signInPage(redirectTo)}#challenge=${signedIn.challenge}`, cookies: [] };
}

/** @param redirectTo where the page goes on to */
export function signInPage(redirectTo: string): string {
  return redirectTo === "/" ? "/sign-in" : `/sign-in?to=${encodeURIComponent(redirectTo)}`;
}

async function lockConnected(tx: Db, subject: Subject): Promise<Person | undefined> {
  const userId = await readConnectedUser(tx, subject);
  const person = userId === undefined ? undefined : await lockPerson(tx, userId);
  // Whoever disconnects it holds the same row.
  return person && (await readConnectedUser(tx, subject)) === person.id ? person : undefined;
}

interface Newcomer {
  provider: OidcProvider;
  subject: Subject;
  profile: Profile;
}

/**
 * Makes the account of somebody whose address the provider confirms, where sign-up allows it, or ends the joining of
 * somebody who was invited. An account that has a way in is never connected here: its owner connects it when signed in.
 * @returns the person, whose row is locked
 * @throws Refused
 */
async function makeAccount(
  identity: Identity,
  tx: Db,
  visit: Visit,
  { provider, subject, profile }: Newcomer,
): Promise<Person> {
  // Before any look for the address: whoever only claims it learns nothing.
  const { email, isVerified, name } = profile;
  if (!isVerified || typeof email !== "string" || !isEmail(email)) throw new Refused("no_address");
  const isInvited = await hasJoinInvitation(tx, email);
  const made = await insertNewcomer(tx, identity.signUp, { email, isInvited });
  const id = made ?? (await readUserByEmail(tx, email))?.id;
  const person = id === undefined ? undefined : await lockPerson(tx, id);
  if (!person) throw new Refused("expired");
  // Another callback of the same person, which held the lock, has done all that follows.
  if ((await readConnectedUser(tx, subject)) === person.id) return person;
  if (made === undefined && (!isInvited || (await hasWayIn(tx, person.id)))) throw new Refused("address_taken");
  if (!(await insertConnection(tx, person.id, subject))) throw new Refused("expired");
  await endJoinInvitations(tx, email);
  await markEmailVerified(tx, person.id);
  if (person.name === "") await writeName(tx, person.id, nameOf(name, email));
  await auditPerson(tx, visit, person.id, { action: "user.join", detail: { how: "oidc", provider: provider.id } });
  return person;
}

/** Is undefined when there is a user with the address. @throws Refused */
async function insertNewcomer(
  tx: Db,
  policy: SignUpPolicy,
  { email, isInvited }: { email: string; isInvited: boolean },
): Promise<string | undefined> {
  if (await readUserByEmail(tx, email)) return undefined;
  if (policy.mode === "closed") throw new Refused("closed");
  if (policy.mode === "invite" && !isInvited && !(await hasInvitation(tx, email))) {
    throw new Refused("invitation_needed");
  }
  if (!allowsDomain(policy, email)) throw new Refused("domain");
  return (await insertUser(tx, { id: newId(), email, tier: DEFAULT_TIER, emailVerifiedAt: new Date() }))?.id;
}

/** The name at the provider, which may be anything; else the address up to the @. */
function nameOf(claimed: unknown, email: string): string {
  const name = typeof claimed === "string" && !hasControlCharacter(claimed) ? claimed.trim() : "";
  const [local = ""] = email.split("@");
  return [...(name === "" ? local : name)].slice(0, PERSON_NAME_LENGTH_MAX).join("");
}
