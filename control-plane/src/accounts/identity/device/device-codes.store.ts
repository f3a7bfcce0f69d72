import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";
import { POLL_SECONDS } from "./device-code.ts";

/** Whether it was stored: false when an open request has the same user code. */
export async function insertDeviceCode(
  db: Db,
  code: Omit<DeviceRequest, "createdAt" | "expiresAt"> & { codeHash: Buffer; seconds: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("device_codes")
    .values({
      id: code.id,
      code_hash: code.codeHash,
      user_code: code.userCode,
      device_name: code.deviceName,
      wanted_team: code.wantedTeam,
      scopes: code.scopes,
      address: code.address,
      interval_seconds: POLL_SECONDS,
      expires_at: sql<Date>`now() + ${code.seconds} * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.column("user_code").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Reads the request with that user code while it waits for an answer. */
export async function readOpenRequest(db: Db, userCode: string) {
  return db
    .selectFrom("device_codes")
    .select(["id", "user_code as userCode", "device_name as deviceName", "wanted_team as wantedTeam", "scopes"])
    .select(["address", "created_at as createdAt", "expires_at as expiresAt"])
    .where("user_code", "=", userCode)
    .where("status", "=", "pending")
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
}

/** A client's request for a key that waits for a person's answer. */
export type DeviceRequest = NonNullable<Awaited<ReturnType<typeof readOpenRequest>>>;

/** Stores the answer. Whether it is the first: of several answers at once one is, and of an expired request none. */
export async function writeAnswer(
  tx: Db,
  id: string,
  answer: { status: "approved"; userId: string; teamId: string } | { status: "denied" },
): Promise<boolean> {
  const by = answer.status === "approved" ? { user_id: answer.userId, team_id: answer.teamId } : {};
  const { numUpdatedRows } = await tx
    .updateTable("device_codes")
    .set({ status: answer.status, ...by })
    .where("id", "=", id)
    .where("status", "=", "pending")
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** So long is no code good: the interval needs no more. */
const INTERVAL_SECONDS_MAX = 600;

/**
 * Notes a poll by the database's clock, and makes the interval longer when it comes too soon. The team is null when the
 * request is not approved, and when who approved it has left the team.
 * @param tx a transaction: of several polls at once, the others come too soon
 */
export async function notePoll(tx: Db, codeHash: Buffer) {
  const poll = await tx
    .selectFrom("device_codes")
    .select(["id", "status", "team_id as teamId"])
    .select([
      sql<boolean>`expires_at <= clock_timestamp()`.as("hasExpired"),
      sql<boolean>`coalesce(clock_timestamp() < polled_at + interval_seconds * interval '1 second', false)`.as(
        "isTooSoon",
      ),
    ])
    .where("code_hash", "=", codeHash)
    .forUpdate()
    .executeTakeFirst();
  if (!poll) return undefined;
  const longerSeconds = poll.isTooSoon ? POLL_SECONDS : 0;
  await tx
    .updateTable("device_codes")
    .set({
      polled_at: sql<Date>`clock_timestamp()`,
      interval_seconds: sql<number>`least(interval_seconds + ${longerSeconds}, ${INTERVAL_SECONDS_MAX})`,
    })
    .where("id", "=", poll.id)
    .execute();
  return poll;
}

/** Takes an approved request, which is gone then: of several processes one gets it. Person and team are null when that one has left the team. */
export async function takeApproved(tx: Db, id: string) {
  return tx
    .deleteFrom("device_codes")
    .where("id", "=", id)
    .where("status", "=", "approved")
    .returning(["device_name as deviceName", "scopes", "user_id as userId", "team_id as teamId"])
    .executeTakeFirst();
}
