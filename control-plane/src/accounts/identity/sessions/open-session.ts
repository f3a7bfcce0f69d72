import type { Db } from "../../../platform/database/database.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import type { Engine } from "../engine.ts";
import type { Visit } from "./session.ts";
import { newSignInMail } from "../../mail/mail-text.ts";
import { readUser } from "../../users.store.ts";
import { deleteSession, deleteSessionsBeyond, hasSessionFrom } from "./sessions.store.ts";

/** More than one person's devices; a script that signs in each minute must not fill the table. */
const SESSIONS_MAX = 50;

export interface NewSession {
  /** Is loaded before the transaction, since loading needs a connection of its own. */
  engine: Engine;
  visit: Visit;
  userId: string;
  how: "password" | "second-factor" | "passkey" | "join" | "oidc";
}

/**
 * Opens a session for a person whose row is locked. The session that the browser had is ended: its cookie is never the one
 * of the new session, which somebody else might know.
 * @returns the header Set-Cookie
 */
export async function openSession(
  identity: Identity,
  tx: Db,
  { engine, visit, userId, how }: NewSession,
): Promise<string> {
  const before = visit.session;
  // Who joins has proven the address a moment ago.
  const isNewPlace = how !== "join" && !(await hasSessionFrom(tx, userId, visit.address));
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
  if (isNewPlace) {
    const device = visit.headers.get("User-Agent") ?? "unknown";
    const facts = { service: identity.service, at: identity.clock.now(), address: visit.address, device };
    await identity.sendMail(tx, (await readUser(tx, userId)).email, newSignInMail(facts));
  }
  return cookie;
}
