import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { inTransaction, type Db } from "../../../platform/database/database.ts";
import { insertAudit } from "../../../platform/audit.store.ts";
import { checkEmail } from "../../email.ts";
import { insertUser } from "../../users.store.ts";
import { inviteToJoin, type JoinLink } from "./invite-to-join.ts";
import { hasWayIn, readPersonByEmail } from "../people.store.ts";

/**
 * Makes a one-time link for the operator to hand on, and the user if there is none.
 * @throws SvcError invalid_request for a malformed address, name_taken when the user has a way in
 */
export async function inviteUser(
  db: Db,
  { email, tier, baseUrl }: { email: string; tier: string; baseUrl: string },
): Promise<JoinLink & { userId: string; email: string; made: boolean }> {
  checkEmail(email);
  return inTransaction(db, async (tx) => {
    const made = await insertUser(tx, { id: newId(), email, tier, emailVerifiedAt: null });
    const person = await readPersonByEmail(tx, email);
    if (!person) throw new Error("a user was neither made nor found");
    if (await hasWayIn(tx, person.id)) {
      throw new SvcError(
        "name_taken",
        `${person.email} has joined already. Let them set another password at ${baseUrl}/forgot instead.`,
      );
    }
    const invitation = await inviteToJoin(tx, person.email, baseUrl);
    const { id: userId } = person;
    const detail = { tier: person.tier, made: made !== undefined };
    await insertAudit(tx, {
      actor: "operator",
      action: "user.invite",
      target: `user:${userId}`,
      requestId: null,
      detail,
    });
    return { ...invitation, userId, email: person.email, made: made !== undefined };
  });
}
