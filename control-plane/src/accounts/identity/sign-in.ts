import { inTransaction } from "../../platform/database/database.ts";
import { checkEmail } from "../email.ts";
import type { Identity } from "./identity.ts";
import { limitAttempts } from "./attempts/limit-attempts.ts";
import { openSessionOrAsk, type SignedIn } from "./sessions/open-session-or-ask.ts";
import { checkCredentials, lockProven } from "./passwords/check-credentials.ts";
import { readPersonByEmail } from "./people.store.ts";
import type { Visit } from "./sessions/session.ts";

/** @throws SvcError invalid_request for a malformed address, credentials_invalid, rate_limited */
export async function signIn(
  identity: Identity,
  visit: Visit,
  { email, password }: { email: string; password: string },
): Promise<SignedIn> {
  const { db } = identity;
  checkEmail(email);
  await limitAttempts(db, "password", email);
  const proven = await checkCredentials(identity, await readPersonByEmail(db, email), password);
  const engine = await identity.engine();
  return inTransaction(db, async (tx) => {
    const person = await lockProven(tx, proven);
    return openSessionOrAsk(identity, tx, { engine, visit, person, how: "password" });
  });
}
