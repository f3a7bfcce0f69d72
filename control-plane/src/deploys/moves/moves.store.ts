import { sql } from "kysely";
import type { AppStatus } from "../../apps/app.ts";
import type { Db } from "../../platform/database/database.ts";
import { stepOrder, type DeployStatus } from "../deploy.ts";
import { withClaim, type Claim } from "../deploy-claims.store.ts";

/** The step in whose place a move carries the app; to take it back is to let the app serve again where it was. */
export const CARRYING = "clone_build";
/** To take it back for a move is to remove all of the app from the server that it did not get to. */
export const ARRIVING = "provision_db";

/** Notes, before anything is carried, that there will be a copy to remove, also of an app without a database. */
export async function registerCopy(db: Db, claim: Claim): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({ undo_registered_at: sql<Date>`coalesce(undo_registered_at, now())` })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", stepOrder(ARRIVING))
      .execute();
  });
}

/**
 * Whether the move leads the app's names to the other server, or has begun to: what is stored there from then on would be
 * lost if it were taken back. The caller holds the deploy's row.
 */
export async function hasSwitched(tx: Db, deployId: string): Promise<boolean> {
  const step = await tx
    .selectFrom("deploy_steps")
    .select("status")
    .where("deploy_id", "=", deployId)
    .where("step_name", "=", "proxy_route")
    .executeTakeFirst();
  return step !== undefined && step.status !== "pending";
}

export interface MoveFacts {
  from: string;
  attempt: number;
  /** The app's status when the move began. */
  former: AppStatus | null;
}

/** Is undefined for a deploy that is no move. */
export async function readMoveFacts(db: Db, deployId: string): Promise<MoveFacts | undefined> {
  const row = await db
    .selectFrom("deploys")
    .select(["moves_from", "attempt", "former_app_status as former"])
    .where("id", "=", deployId)
    .executeTakeFirst();
  return row?.moves_from ? { from: row.moves_from, attempt: row.attempt, former: row.former } : undefined;
}

/** Apps that a move has stopped on the server, and that are to serve there again, since it did not succeed. */
export async function readReturns(
  db: Db,
  serverId: string,
): Promise<{ deployId: string; appId: string; appName: string }[]> {
  return db
    .selectFrom("deploy_steps as s")
    .innerJoin("deploys as d", "d.id", "s.deploy_id")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["d.id as deployId", "a.id as appId", "a.name as appName"])
    .where("d.moves_from", "=", serverId)
    .where("d.status", "in", ["failed", "canceled"])
    .where("s.step_name", "=", CARRYING)
    .where("s.undo_registered_at", "is not", null)
    .where("s.undone_at", "is", null)
    .execute();
}

/** Whether a move of the app is not taken back yet, on a server that is there to do so. */
export async function isMoveLeft(tx: Db, appId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("deploy_steps as st")
    .innerJoin("deploys as d", "d.id", "st.deploy_id")
    .innerJoin("servers as s", "s.id", "d.server_id")
    .select("d.id")
    .where("d.app_id", "=", appId)
    .where("d.kind", "=", "move")
    .where("d.status", "in", ["failed", "canceled"])
    .where("s.state", "<>", "removed")
    .where("st.undo_registered_at", "is not", null)
    .where("st.undone_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Servers that may have a copy of the app, since a move that did not succeed is not taken back there yet. */
export async function readCopies(tx: Db, appId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("deploys as d")
    .innerJoin("deploy_steps as s", "s.deploy_id", "d.id")
    .select("d.server_id")
    .distinct()
    .where("d.app_id", "=", appId)
    .where("d.kind", "=", "move")
    .where("d.status", "in", ["failed", "canceled"])
    .where("s.step_name", "=", ARRIVING)
    .where("s.undo_registered_at", "is not", null)
    .where("s.undone_at", "is", null)
    .execute();
  return rows.flatMap(({ server_id: id }) => id ?? []);
}

/** Notes that the image of the live release alone has moved. */
export async function keepLiveImage(tx: Db, appId: string, releaseId: string | undefined): Promise<void> {
  await tx
    .updateTable("releases")
    .set({ image_kept: false })
    .where("app_id", "=", appId)
    .$if(releaseId !== undefined, (query) => query.where("id", "<>", releaseId!))
    .execute();
}

/** The user who asked for the app's newest deploy: a move that the platform makes by itself is in their name. */
export async function readLastDeployer(tx: Db, appId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("deploys")
    .select("user_id")
    .where("app_id", "=", appId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.user_id;
}

export interface MoveRow {
  id: string;
  from: string;
  to: string;
  status: DeployStatus;
  error: string | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  steps: { name: string; status: string }[];
  /** ISO 8601: since when, and until when, the app's requests were refused. */
  pausedAt: string | null;
  servedAt: Date | null;
}

/** The app's newest move. */
export async function readNewestMove(db: Db, appId: string): Promise<MoveRow | undefined> {
  const { rows } = await sql<MoveRow>`
    select d.id, f.name as "from", t.name as "to", d.status, d.error, d.started_at as "startedAt",
      d.finished_at as "finishedAt",
      (select json_agg(json_build_object('name', s.step_name, 'status', s.status)
          order by s.step_name <> ${CARRYING}, s.step_order)
        from deploy_steps s where s.deploy_id = d.id) as steps,
      c.result->>'paused_at' as "pausedAt",
      (select s.finished_at from deploy_steps s
        where s.deploy_id = d.id and s.step_name = 'proxy_route' and s.status = 'success') as "servedAt"
    from deploys d join servers f on f.id = d.moves_from join servers t on t.id = d.server_id
    join deploy_steps c on c.deploy_id = d.id and c.step_name = ${CARRYING}
    where d.app_id = ${appId} and d.kind = 'move'
    order by d.seq desc limit 1
  `.execute(db);
  return rows[0];
}

/** Whether the server is one end of a move that goes on. */
export async function isMoveOpen(tx: Db, serverId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("deploys")
    .select("id")
    .where("kind", "=", "move")
    .where("status", "=", "running")
    .where((eb) => eb.or([eb("server_id", "=", serverId), eb("moves_from", "=", serverId)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
