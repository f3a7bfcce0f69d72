import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Session } from "./session.ts";
import { isOpenSession } from "./sessions.store.ts";

/**
 * Refuses a request whose session was ended since it was read, as a new password does it: what makes a way in must not outlive
 * that.
 * @param tx the person's row is locked in it
 * @throws SvcError unauthorized
 */
export async function requireOpenSession(tx: Db, { userId, sessionId }: Session): Promise<void> {
  if (await isOpenSession(tx, userId, sessionId)) return;
  throw new SvcError("unauthorized", "You were signed out meanwhile. Sign in again.");
}
