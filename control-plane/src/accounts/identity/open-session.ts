import type { Db } from "../../platform/database/database.ts";
import { auditPerson } from "./audit-person.ts";
import type { Engine } from "./engine.ts";
import type { Visit } from "./session.ts";
import { deleteSession, deleteSessionsBeyond } from "./sessions.store.ts";

/** More than one person's devices; a script that signs in each minute must not fill the table. */
const SESSIONS_MAX = 50;

/**
 * Opens a session for a person whose row is locked. The session that the browser had is ended: its cookie is never the one
 * of the new session, which somebody else might know.
 * @param engine loaded before the transaction, since loading needs a connection of its own
 * @returns the header Set-Cookie
 */
export async function openSession(
  engine: Engine,
  tx: Db,
  visit: Visit,
  userId: string,
  how: "password" | "second-factor" | "join",
): Promise<string> {
  const before = visit.session;
  const { sessionId, cookie } = await engine.openSession(tx, userId, visit);
  await auditPerson(tx, visit, userId, { action: "session.create", target: `session:${sessionId}`, detail: { how } });
  if (before && (await deleteSession(tx, before.userId, before.sessionId))) {
    const target = `session:${before.sessionId}`;
    await auditPerson(tx, visit, before.userId, {
      action: "session.end",
      target,
      detail: { reason: "signed in again" },
    });
  }
  await deleteSessionsBeyond(tx, userId, SESSIONS_MAX);
  return cookie;
}
