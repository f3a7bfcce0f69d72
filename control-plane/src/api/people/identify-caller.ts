import type { Context } from "hono";
import { authenticate, type Caller } from "../../accounts/authenticate.ts";
import { sessionCaller } from "../../accounts/identity/sessions/session-caller.ts";
import type { Identity } from "../../accounts/identity/identity.ts";
import type { KeyOwners } from "../../accounts/keys/key-owners.ts";
import type { Db } from "../../platform/database/database.ts";
import type { RequestEnv } from "../../platform/http/request-env.ts";
import { requireNamedPerson, requireOwnOrigin, requireOwnPage } from "./own-page.ts";

export interface CallerParts {
  db: Db;
  keyOwners: KeyOwners;
  identity: Identity;
}

/**
 * Finds out who sends a request: the owner of the key in `Authorization`, or, without that header, whoever is signed in. A key is
 * never added to by a cookie that the browser sends along.
 * @param what.changes whether the request changes something
 * @throws SvcError unauthorized; other_person; origin_refused for what another site's page sends; not_found for a team of others in `Svc-Team`
 */
export async function identifyCaller(
  { db, keyOwners, identity }: CallerParts,
  c: Context<RequestEnv>,
  { changes }: { changes: boolean },
): Promise<Caller> {
  const { headers } = c.req.raw;
  const authorization = headers.get("Authorization") ?? undefined;
  const session = authorization === undefined ? await identity.readSession(headers) : undefined;
  if (!session) return authenticate(db, changes ? keyOwners.readNow : keyOwners.read, authorization);
  c.get("event").userId = session.userId;
  requireNamedPerson(headers, session);
  requireOwnPage(headers, identity.baseUrl);
  if (changes) requireOwnOrigin(headers, identity.baseUrl);
  return sessionCaller(session, identity.clock.now(), headers.get("Svc-Team") ?? undefined);
}
