import { newId } from "@svc/shared/rules/ids.ts";
import { hasControlCharacter } from "../../../platform/invalid.ts";
import type { Db } from "../../../platform/database/database.ts";
import { isEmail } from "../../email.ts";
import { hasInvitation } from "../../teams/invitations.store.ts";
import { DEFAULT_TIER } from "../../tier.ts";
import { insertUser, markEmailVerified, readUserByEmail } from "../../users.store.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { endJoinInvitations, hasJoinInvitation } from "../joining/join-invitations.store.ts";
import { allowsDomain, type SignUpPolicy } from "../joining/sign-up-policy.ts";
import { hasWayIn, lockPerson, PERSON_NAME_LENGTH_MAX, writeName, type Person } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { insertConnection, readConnectedUser, type Subject } from "./connections.store.ts";
import type { Profile } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";
import { Refused } from "./refused.ts";

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
export async function makeAccount(
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
