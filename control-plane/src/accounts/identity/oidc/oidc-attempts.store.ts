import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";

export interface AttemptRow {
  provider: string;
  redirectTo: string;
  /** Who connects the provider to their account; null for a sign-in. */
  userId: string | null;
}

export async function insertAttempt(
  db: Db,
  attempt: AttemptRow & { tokenHash: Buffer; seconds: number },
): Promise<void> {
  const { tokenHash, provider, redirectTo, userId, seconds } = attempt;
  await db
    .insertInto("oidc_attempts")
    .values({
      token_hash: tokenHash,
      provider,
      redirect_to: redirectTo,
      user_id: userId,
      expires_at: sql<Date>`now() + ${seconds} * interval '1 second'`,
    })
    .execute();
}

/** Ends the connections that the user has begun. */
export async function deleteAttempts(tx: Db, userId: string): Promise<void> {
  await tx.deleteFrom("oidc_attempts").where("user_id", "=", userId).execute();
}

/** Takes the attempt, which is gone then: of several requests one gets it. Undefined when it has expired or never was. */
export async function takeAttempt(db: Db, tokenHash: Buffer): Promise<AttemptRow | undefined> {
  return db
    .deleteFrom("oidc_attempts")
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning(["provider", "redirect_to as redirectTo", "user_id as userId"])
    .executeTakeFirst();
}
