import type { Acting } from "../../platform/audit.store.ts";
import { inRepeatedTransaction, type Db } from "../../platform/database/database.ts";
import type { OperationContext } from "../../platform/operation.ts";
import type { Identity } from "../identity/identity.ts";
import { lockPerson, type Person } from "../identity/people.store.ts";
import { proveOwnerFully, type Proof } from "../identity/passwords/prove-owner.ts";
import { requireOpenSession } from "../identity/sessions/require-open-session.ts";
import type { Session } from "../identity/sessions/session.ts";
import { notForYou } from "./require-operator.ts";

type Work<T> = (tx: Db, by: Acting) => Promise<T>;

/**
 * Changes the platform as the operator who asks: the mark and the session hold until the work is committed.
 * @param work notes the change as `by`, which nobody's team reads; it does nothing beyond the transaction
 * @throws SvcError not_found when the mark was taken back meanwhile, unauthorized when the session was ended; what the work throws
 */
export async function actAsOperator<T>(ctx: OperationContext, work: Work<T>): Promise<T> {
  const session = sessionOf(ctx);
  return actAs(ctx, session, (tx) => lockPerson(tx, session.userId), work);
}

/**
 * The same for what would outlive a stolen session: the person proves that they are there.
 * @throws SvcError as above; credentials_invalid, rate_limited
 */
export async function actAsProvenOperator<T>(
  identity: Identity,
  ctx: OperationContext,
  proof: Proof,
  work: Work<T>,
): Promise<T> {
  const session = sessionOf(ctx);
  return actAs(ctx, session, await proveOwnerFully(identity, session, proof), work);
}

function actAs<T>(
  ctx: OperationContext,
  session: Session,
  lock: (tx: Db) => Promise<Person | undefined>,
  work: Work<T>,
): Promise<T> {
  return inRepeatedTransaction(ctx.db, async (tx) => {
    const person = await lock(tx);
    if (!person?.isOperator) throw notForYou();
    await requireOpenSession(tx, session);
    return work(tx, { actor: `user:${session.userId}`, requestId: ctx.requestId });
  });
}

function sessionOf({ actor: { session } }: OperationContext): Session {
  if (!session) throw notForYou();
  return session;
}
