import { sql } from "kysely";
import type { Db } from "../platform/database/database.ts";
import type { ServerState } from "./server.ts";
import { inFuture } from "../platform/database/in-future.ts";
import { notify } from "../platform/database/notify.ts";

/** Queries of `servers` and `join_tokens`. Times are the database's, which every process sees alike. */

export interface ServerRow {
  id: string;
  name: string;
  state: ServerState;
  listen_address: string | null;
  agent_version: string | null;
  created_at: Date;
  joined_at: Date | null;
  link_process_id: string | null;
  link_until: Date | null;
  status: Record<string, unknown> | null;
  status_at: Date | null;
  pool: string;
  labels: string[];
  /** host[:port] of its apps for balancers, as an operator has set it. */
  address: string | null;
  /** Where its agent was at its last link. */
  linked_from: string | null;
  /** Whether some control-plane process holds a link to its agent. */
  linked: boolean;
}

const columns = [
  "id",
  "name",
  "state",
  "listen_address",
  "agent_version",
  "created_at",
  "joined_at",
  "link_process_id",
  "link_until",
  "status",
  "status_at",
  "pool",
  "labels",
  "address",
  "linked_from",
] as const;

const linked = sql<boolean>`coalesce(link_until > now(), false)`.as("linked");

export async function isLinkedSomewhere(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom("servers").select(linked).where("id", "=", id).executeTakeFirst();
  return row?.linked ?? false;
}

/**
 * The row stays locked until the transaction ends; rows that refer to it may be written meanwhile by whoever does not lock it. A lock
 * against those as well would have a move, whose deploy refers to two servers, and a claim on one of them wait for each other.
 */
export async function lockServer(
  tx: Db,
  id: string,
): Promise<{ state: ServerState; linked: boolean; link_process_id: string | null }> {
  return tx
    .selectFrom("servers")
    .select(["state", "link_process_id", linked])
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

/** A server, with the number of the apps that live there. */
export type ListedServer = ServerRow & { app_count: number };

/** Lists the servers that were not removed, by name. */
export function listServers(db: Db): Promise<ListedServer[]> {
  return db
    .selectFrom("servers")
    .select([...columns, linked])
    .select(sql<number>`(select count(*)::integer from apps where server_id = servers.id)`.as("app_count"))
    .where("state", "<>", "removed")
    .orderBy("name")
    .execute();
}

/** Among those that were not removed. */
export function findServer(db: Db, name: string): Promise<ServerRow | undefined> {
  return db
    .selectFrom("servers")
    .select([...columns, linked])
    .where("name", "=", name)
    .where("state", "<>", "removed")
    .executeTakeFirst();
}

/** @returns false when the name is taken */
export async function insertServer(db: Db, server: { id: string; name: string }): Promise<boolean> {
  const result = await db
    .insertInto("servers")
    .values({ ...server, state: "joining" })
    .onConflict((conflict) => conflict.column("name").where("state", "<>", "removed").doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Replaces the server's earlier token: of two that are about, only the newest works. */
export async function replaceJoinToken(
  db: Db,
  token: { hash: Buffer; serverId: string; lifeMs: number },
): Promise<{ expiresAt: Date }> {
  await db.deleteFrom("join_tokens").where("server_id", "=", token.serverId).execute();
  const { expires_at } = await db
    .insertInto("join_tokens")
    .values({ hash: token.hash, server_id: token.serverId, expires_at: inFuture(token.lifeMs) })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { expiresAt: expires_at };
}

/** Uses the token up; a second caller waits for the first one's transaction and finds it used, or given back. */
export async function claimJoinToken(db: Db, hash: Buffer): Promise<string | undefined> {
  const claimed = await db
    .updateTable("join_tokens")
    .set({ used_at: sql<Date>`now()` })
    .where("hash", "=", hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("server_id")
    .executeTakeFirst();
  return claimed?.server_id;
}

/** Whether the token would still let a host join. */
export async function isJoinTokenOpen(db: Db, hash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom("join_tokens")
    .select("server_id")
    .where("hash", "=", hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

export interface AgentFacts {
  /** host:port; null when the agent dials out. */
  listenAddress: string | null;
  agentVersion: string;
}

/**
 * Makes the host with that key the server's: its first, or one that takes the place of the former.
 * @returns undefined when the server was removed meanwhile
 */
export async function admitHost(
  db: Db,
  id: string,
  hostKey: Buffer,
  facts: AgentFacts,
): Promise<{ name: string; isFirst: boolean } | undefined> {
  const before = await db.selectFrom("servers").select("state").where("id", "=", id).forUpdate().executeTakeFirst();
  if (!before || before.state === "removed") return undefined;
  const isFirst = before.state === "joining";
  const { name } = await db
    .updateTable("servers")
    .set({
      ...(isFirst && { state: "active" }),
      joined_at: sql<Date>`now()`,
      host_key: hostKey,
      listen_address: facts.listenAddress,
      agent_version: facts.agentVersion,
    })
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirstOrThrow();
  return { name, isFirst };
}

/** @returns undefined when the server is not a member, or another host has taken the place of the one with that key */
export function updateAgentFacts(
  db: Db,
  id: string,
  hostKey: Buffer,
  facts: AgentFacts,
): Promise<{ name: string } | undefined> {
  return db
    .updateTable("servers")
    .set({ host_key: hostKey, listen_address: facts.listenAddress, agent_version: facts.agentVersion })
    .where("id", "=", id)
    .where("state", "in", ["active", "draining"])
    .where((where) => where.or([where("host_key", "is", null), where("host_key", "=", hostKey)]))
    .returning("name")
    .executeTakeFirst();
}

/** Whether a host that has that key was the server's when it was removed: then its agent is to know. */
export async function isRemovedHost(db: Db, id: string, hostKey: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom("servers")
    .select("host_key")
    .where("id", "=", id)
    .where("state", "=", "removed")
    .executeTakeFirst();
  return row !== undefined && (row.host_key === null || row.host_key.equals(hostKey));
}

/** The agent of the removed server has been told. */
export async function recordLeft(db: Db, id: string): Promise<void> {
  await db
    .updateTable("servers")
    .set({ left_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where("state", "=", "removed")
    .execute();
}

/** Such an agent's certificate has ended after this time, so that it can't be told any more. */
const DISMISSAL_DAYS_MAX = 30;

/** Members whose agents wait to be dialled, and those removed whose agents have not been told. */
export async function dialledServers(db: Db): Promise<{ id: string; name: string; listenAddress: string }[]> {
  const rows = await db
    .selectFrom("servers")
    .select(["id", "name", "listen_address"])
    .where((eb) =>
      eb.or([
        eb("state", "in", ["active", "draining"]),
        eb.and([
          eb("state", "=", "removed"),
          eb("left_at", "is", null),
          eb("removed_at", ">", sql<Date>`now() - make_interval(days => ${DISMISSAL_DAYS_MAX})`),
        ]),
      ]),
    )
    .where("listen_address", "is not", null)
    .execute();
  return rows.map((row) => ({ id: row.id, name: row.name, listenAddress: row.listen_address! }));
}

/**
 * Reads which of these servers are members, each with the key of its host; null where any certificate of its id will
 * do.
 */
export async function membersAmong(db: Db, ids: readonly string[]): Promise<Map<string, Buffer | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("servers")
    .select(["id", "host_key"])
    .where("id", "in", ids)
    .where("state", "in", ["active", "draining"])
    .execute();
  return new Map(rows.map((row) => [row.id, row.host_key]));
}

/** @param status JSON of svc.agent.v1.Status */
export async function storeStatus(
  db: Db,
  serverId: string,
  status: { json: string; agentVersion: string; observedAt: Date },
): Promise<void> {
  await db
    .updateTable("servers")
    .set({ status: status.json, status_at: status.observedAt, agent_version: status.agentVersion })
    .where("id", "=", serverId)
    .execute();
}

/** @returns false when it is in none of the states `from` */
export async function changeServerState(
  db: Db,
  id: string,
  from: readonly ServerState[],
  to: ServerState,
): Promise<boolean> {
  const result = await db
    .updateTable("servers")
    .set({
      state: to,
      ...(to === "removed" ? { removed_at: sql<Date>`now()`, link_process_id: null, link_until: null } : {}),
    })
    .where("id", "=", id)
    .where("state", "in", from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** What an operator says of a server. */
export interface ServerSettings {
  pool: string;
  labels: string[];
  /** Null where its agent was at its last link. */
  address: string | null;
}

/**
 * The row stays locked until the transaction ends; rows that refer to it may be written meanwhile by whoever does not lock it. A lock
 * against those as well would have a move, whose deploy refers to two servers, and a claim on one of them wait for each other.
 */
export async function lockServerSettings(tx: Db, id: string): Promise<ServerSettings & { state: ServerState }> {
  return tx
    .selectFrom("servers")
    .select(["state", "pool", "labels", "address"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateServerSettings(tx: Db, id: string, settings: ServerSettings): Promise<void> {
  const { pool, labels, address } = settings;
  await tx.updateTable("servers").set({ pool, labels, address }).where("id", "=", id).execute();
}

/** Whether a server of the pool has the label. */
export async function hasLabel(db: Db, pool: string, label: string): Promise<boolean> {
  const server = await db
    .selectFrom("servers")
    .select("id")
    .where("state", "<>", "removed")
    .where("pool", "=", pool)
    .where(sql<boolean>`${label} = any(labels)`)
    .limit(1)
    .executeTakeFirst();
  return server !== undefined;
}

/** After commit, every control-plane process looks at the server again. */
export async function notifyServers(db: Db, serverId: string): Promise<void> {
  await notify(db, "servers", serverId);
}

/** Whether any agent holds a certificate that counts. */
export async function hasMembers(db: Db): Promise<boolean> {
  const states = ["active", "draining"] as const;
  const member = await db.selectFrom("servers").select("id").where("state", "in", states).limit(1).executeTakeFirst();
  return member !== undefined;
}
