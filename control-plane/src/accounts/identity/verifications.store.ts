import { sql } from "kysely";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../platform/database/database.ts";

/** reset: sets a new password. verify: proves the address. second-factor: a sign-in that waits for its code. address: takes
 * another address. */
export type Purpose = "reset" | "verify" | "second-factor" | "address";

const identifierOf = (purpose: Purpose, tokenHash: Buffer): string => `${purpose}:${tokenHash.toString("hex")}`;

export async function insertVerification(
  db: Db,
  verification: { purpose: Purpose; tokenHash: Buffer; userId: string; seconds: number; address?: string },
): Promise<void> {
  const { purpose, tokenHash, userId, seconds, address = null } = verification;
  await db
    .insertInto("verifications")
    .values({
      id: newId(),
      identifier: identifierOf(purpose, tokenHash),
      value: userId,
      address,
      expires_at: sql<Date>`now() + ${seconds} * interval '1 second'`,
    })
    .execute();
}

/** Reads whose token it is, while it is valid. */
export async function readVerification(db: Db, purpose: Purpose, tokenHash: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom("verifications")
    .select("value")
    .where("identifier", "=", identifierOf(purpose, tokenHash))
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return row?.value;
}

/** Takes a valid token, which is gone then: of several processes one gets it. Returns whose it was. */
export async function takeVerification(db: Db, purpose: Purpose, tokenHash: Buffer): Promise<string | undefined> {
  const row = await db
    .deleteFrom("verifications")
    .where("identifier", "=", identifierOf(purpose, tokenHash))
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("value")
    .executeTakeFirst();
  return row?.value;
}

/** The same for a token that brings another address. */
export async function takeAddress(db: Db, tokenHash: Buffer): Promise<{ userId: string; address: string } | undefined> {
  const row = await db
    .deleteFrom("verifications")
    .where("identifier", "=", identifierOf("address", tokenHash))
    .where("expires_at", ">", sql<Date>`now()`)
    .returning(["value", "address"])
    .executeTakeFirst();
  return row?.address ? { userId: row.value, address: row.address } : undefined;
}

export async function deleteVerifications(db: Db, purpose: Purpose, userId: string): Promise<void> {
  await db
    .deleteFrom("verifications")
    .where("value", "=", userId)
    .where("identifier", "like", `${purpose}:%`)
    .execute();
}
