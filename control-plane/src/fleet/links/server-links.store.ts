import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import { inFuture } from "../../platform/database/in-future.ts";

/** Which process of the control plane holds the link to a server's agent. Times are the database's. */
export interface LinkHolder {
  processId: string;
  /** How long the row is believed without a heartbeat, in milliseconds. */
  validMs: number;
}

/**
 * The newest link counts, whichever process holds it.
 * @param certificateUntil the end of the certificate that the agent has shown
 * @param address where the agent is; the one of the link before when it is not known
 */
export async function recordLink(
  db: Db,
  serverId: string,
  holder: LinkHolder,
  certificateUntil: Date,
  address?: string,
): Promise<void> {
  await db
    .updateTable("servers")
    .set({
      link_process_id: holder.processId,
      link_until: inFuture(holder.validMs),
      certificate_until: certificateUntil,
      ...(address !== undefined && { linked_from: address }),
    })
    .where("id", "=", serverId)
    .execute();
}

/** Heartbeat: keeps our own rows alive, and takes over those that a dead process left to expire. */
export async function extendLinks(db: Db, serverIds: readonly string[], holder: LinkHolder): Promise<void> {
  if (serverIds.length === 0) return;
  await db
    .updateTable("servers")
    .set({ link_process_id: holder.processId, link_until: inFuture(holder.validMs) })
    .where("id", "in", serverIds)
    .where((where) =>
      where.or([
        where("link_process_id", "=", holder.processId),
        where("link_until", "is", null),
        where("link_until", "<", sql<Date>`now()`),
      ]),
    )
    .execute();
}

/** Leaves the row alone when another process has the link by now. */
export async function clearLinks(db: Db, serverIds: readonly string[], processId: string): Promise<void> {
  if (serverIds.length === 0) return;
  await db
    .updateTable("servers")
    .set({ link_process_id: null, link_until: null })
    .where("id", "in", serverIds)
    .where("link_process_id", "=", processId)
    .execute();
}

/** Notes that the agents of these servers have told their status just now. */
export async function recordHearings(db: Db, serverIds: readonly string[]): Promise<void> {
  if (serverIds.length === 0) return;
  await sql`
    insert into server_hearings (server_id, heard_at)
    select id, now() from unnest(${serverIds.toSorted()}::uuid[]) as heard (id)
    on conflict (server_id) do update set heard_at = excluded.heard_at
  `.execute(db);
}
