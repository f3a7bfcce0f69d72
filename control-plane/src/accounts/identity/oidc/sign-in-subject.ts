import { inTransaction, type Db } from "../../../platform/database/database.ts";
import type { Identity } from "../identity.ts";
import { openSessionOrAsk } from "../sessions/open-session-or-ask.ts";
import { lockPerson, type Person } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { readConnectedUser, type Subject } from "./connections.store.ts";
import { makeAccount } from "./make-account.ts";
import type { ProvenSubject } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";
import { Refused, type Landing } from "./refused.ts";

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
