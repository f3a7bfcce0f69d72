import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import type { Session, Visit } from "./session.ts";
import { deleteSession, deleteSessions } from "./sessions.store.ts";

/** Ends one session of the caller's. @throws SvcError not_found */
export async function endSession({ db }: Identity, visit: Visit, { userId }: Session, id: string): Promise<void> {
  const ended =
    isId(id) &&
    (await inTransaction(db, async (tx) => {
      if (!(await deleteSession(tx, userId, id))) return false;
      await auditPerson(tx, visit, userId, { action: "session.end", target: `session:${id}` });
      return true;
    }));
  if (!ended) throw new SvcError("not_found", "You have no session with this id.");
}

/** Ends all sessions of the caller but the one that asks. Returns how many. */
export async function endOtherSessions({ db }: Identity, visit: Visit, session: Session): Promise<number> {
  const { userId, sessionId } = session;
  return inTransaction(db, async (tx) => {
    const ended = await deleteSessions(tx, userId, sessionId);
    if (ended > 0) await auditPerson(tx, visit, userId, { action: "session.end_others", detail: { ended } });
    return ended;
  });
}
