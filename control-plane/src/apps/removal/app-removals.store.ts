import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { AppOnServer } from "../app.ts";
import type { Db } from "../../platform/database/database.ts";

/** A removal from a host, claimed by one process. */
export interface ClaimedRemoval {
  claimId: string;
  appId: string;
  appName: string;
  serverId: string;
  purge: boolean;
}

/** A purge that is asked for while the removal waits makes it a purge. */
export async function recordRemoval(
  tx: Db,
  removal: { appId: string; appName: string; serverId: string; purge: boolean },
): Promise<void> {
  await tx
    .insertInto("app_removals")
    .values({
      app_id: removal.appId,
      app_name: removal.appName,
      server_id: removal.serverId,
      purge: removal.purge,
      claim_id: null,
      claimed_until: null,
    })
    .onConflict((conflict) =>
      conflict.columns(["app_id", "server_id"]).doUpdateSet({
        purge: sql<boolean>`app_removals.purge or excluded.purge`,
        due_at: sql<Date>`now()`,
      }),
    )
    .execute();
}

/**
 * Is undefined when it is done, or another process has it.
 * @param claimMs how long the claim stands, by what is to be done
 */
export async function claimRemoval(
  db: Db,
  { appId, serverId }: AppOnServer,
  claimMs: { softStop: number; purge: number },
): Promise<ClaimedRemoval | undefined> {
  const ms = sql`case when purge then ${claimMs.purge}::integer else ${claimMs.softStop}::integer end`;
  const row = await db
    .updateTable("app_removals")
    .set({ claim_id: randomUUID(), claimed_until: sql<Date>`now() + (${ms}) * interval '1 millisecond'` })
    .where("app_id", "=", appId)
    .where("server_id", "=", serverId)
    .where(isUnclaimed)
    .returning(["claim_id", "app_name", "purge"])
    .executeTakeFirst();
  if (!row?.claim_id) return undefined;
  return { claimId: row.claim_id, appId, appName: row.app_name, serverId, purge: row.purge };
}

const isUnclaimed = sql<boolean>`(claimed_until is null or claimed_until <= now())`;

/** Apps that the server's agent has something to remove of, now. */
export async function readDueRemovals(db: Db, serverId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("app_removals")
    .select("app_id")
    .where("server_id", "=", serverId)
    .where("due_at", "<=", sql<Date>`now()`)
    .where(isUnclaimed)
    .orderBy("created_at")
    .execute();
  return rows.map((row) => row.app_id);
}

/** Whether something of the app is still to be removed from the server, or is being removed. */
export async function hasRemoval(db: Db, { appId, serverId }: AppOnServer): Promise<boolean> {
  const row = await db
    .selectFrom("app_removals")
    .select("app_id")
    .where("app_id", "=", appId)
    .where("server_id", "=", serverId)
    .executeTakeFirst();
  return row !== undefined;
}

/** It is done, unless a purge was asked for meanwhile: that is still to be done then. */
export async function recordRemovalDone(tx: Db, removal: ClaimedRemoval): Promise<void> {
  await tx
    .deleteFrom("app_removals")
    .where("app_id", "=", removal.appId)
    .where("claim_id", "=", removal.claimId)
    .where("purge", "=", removal.purge)
    .execute();
  await giveUpRemoval(tx, removal, 0);
}

/**
 * It is tried again after `delayMs`.
 * @param takeBackPurge volumes and images stay, since the purge was refused; what else is left is still removed
 */
export async function giveUpRemoval(
  db: Db,
  removal: ClaimedRemoval,
  delayMs: number,
  { takeBackPurge = false } = {},
): Promise<void> {
  await db
    .updateTable("app_removals")
    .set({
      ...(takeBackPurge && { purge: false }),
      claim_id: null,
      claimed_until: null,
      due_at: sql<Date>`now() + ${delayMs} * interval '1 millisecond'`,
    })
    .where("app_id", "=", removal.appId)
    .where("claim_id", "=", removal.claimId)
    .execute();
}

/** Reads one of those that no process works on. */
export async function deleteUnclaimedRemoval(tx: Db, { appId, serverId }: AppOnServer): Promise<void> {
  await tx
    .deleteFrom("app_removals")
    .where("app_id", "=", appId)
    .where("server_id", "=", serverId)
    .where(isUnclaimed)
    .execute();
}
