import { sql } from "kysely";
import type { Candidate, ServerState } from "./placement.ts";
import type { Db } from "../../platform/database/database.ts";

/** The servers that take new apps. */
export async function readCandidates(db: Db): Promise<Candidate[]> {
  return db
    .selectFrom("servers as s")
    .select(["s.id", "s.name", isLinked.as("linked")])
    .select((eb) =>
      eb
        .selectFrom("apps as a")
        .select(sql<number>`count(*)::integer`.as("count"))
        .whereRef("a.server_id", "=", "s.id")
        .as("appCount"),
    )
    .where("s.state", "=", "active")
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, appCount: row.appCount ?? 0 })));
}

/** Whether some control plane says that it holds the link. */
const isLinked = sql<boolean>`coalesce(s.link_until > now(), false)`;

export async function isLinkedSomewhere(db: Db, serverId: string): Promise<boolean> {
  const row = await db
    .selectFrom("servers as s")
    .select(isLinked.as("linked"))
    .where("s.id", "=", serverId)
    .executeTakeFirst();
  return row?.linked ?? false;
}

export interface LockedServer {
  state: ServerState;
  linked: boolean;
  /** It has a pending or running deploy; rollbacks run beside those. */
  busy: boolean;
}

/**
 * The row stays locked until the transaction ends: who takes it decides about the server's queue. Whoever locks an app
 * as well does that before (the order is app, server, deploy).
 */
export async function lockServer(tx: Db, id: string): Promise<LockedServer> {
  const server = await tx
    .selectFrom("servers as s")
    .select(["s.state", isLinked.as("linked")])
    .where("s.id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  // A statement of its own: it sees what the former holder of the row has committed.
  const open = await tx
    .selectFrom("deploys")
    .select("id")
    .where("server_id", "=", id)
    .where("kind", "=", "deploy")
    .where("status", "in", ["pending", "running"])
    .limit(1)
    .executeTakeFirst();
  return { state: server.state, linked: server.linked, busy: open !== undefined };
}
