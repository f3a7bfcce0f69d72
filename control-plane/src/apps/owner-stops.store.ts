import { sql } from "kysely";
import type { AppStatus } from "./app.ts";
import { recordAppStatus } from "./apps.store.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";

/** The report of an agent about its apps; ids. */
export interface ObservedApps {
  /** Apps that their owner has stopped. */
  stopped: ReadonlySet<string>;
  serving: ReadonlySet<string>;
}

interface Differing {
  id: string;
  name: string;
  owner_id: string;
  status: AppStatus;
}

/** Finds the apps that are `running` here and stopped by their owner there, or the other way round. */
export async function findDiffering(db: Db, serverId: string, observed: ObservedApps): Promise<string[]> {
  if (observed.stopped.size + observed.serving.size === 0) return [];
  return (await differing(db, serverId, observed).execute()).map(({ id }) => id);
}

/**
 * Brings these of the server's apps to what its agent observes: a stop or a start may have been carried out although its
 * answer was lost, or ended half-way. The owner's own entry in the audit log comes with the answer, so this is another.
 */
export async function recordObserved(
  db: Db,
  serverId: string,
  observed: ObservedApps,
  ids: readonly string[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const apps = await differing(tx, serverId, observed)
      .where("id", "=", sql<string>`any(${ids}::uuid[])`)
      // Locks in an order in which two transactions never wait for each other.
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
    for (const app of apps) await record(tx, app);
  });
}

function differing(db: Db, serverId: string, { stopped, serving }: ObservedApps) {
  return db
    .selectFrom("apps")
    .select(["id", "name", "owner_id", "status"])
    .where("server_id", "=", serverId)
    .where((where) =>
      where.or([
        where.and([where("status", "=", "running"), where("id", "=", sql<string>`any(${[...stopped]}::uuid[])`)]),
        where.and([
          where("status", "=", "stopped"),
          where("platform_stop_holds", "=", false),
          where("id", "=", sql<string>`any(${[...serving]}::uuid[])`),
        ]),
      ]),
    );
}

async function record(tx: Db, app: Differing): Promise<void> {
  const isStop = app.status === "running";
  await recordAppStatus(tx, app, isStop ? "stopped" : "running");
  await insertAudit(tx, {
    actor: "system",
    action: isStop ? "app.stop" : "app.start",
    target: `app:${app.id}`,
    requestId: null,
    ownerId: app.owner_id,
    detail: { name: app.name, reason: "observed" },
  });
}
