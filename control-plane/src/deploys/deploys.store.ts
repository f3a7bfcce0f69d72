import { sql, type InferResult } from "kysely";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import { stepOrder, type DeployKind, type DeployStatus } from "./deploy.ts";
import type { AppStatus } from "../apps/app.ts";
import type { Db } from "../platform/database/database.ts";

const COLUMNS = [
  "d.id",
  "d.seq",
  "d.app_id",
  "d.user_id",
  "d.status",
  "d.ref",
  "d.release",
  "d.commit_sha",
  "d.error",
  "d.created_at",
  "d.started_at",
  "d.finished_at",
  "d.taken_back",
] as const;

/**
 * E-mail address of the person who asked for the deploy `d`, while they are in the team that owns its app: others learn no
 * address of somebody who is not.
 */
export const DEPLOYED_BY = sql<string | null>`(
  select u.email from apps o join team_members m on m.team_id = o.owner_id join users u on u.id = m.user_id
  where o.id = d.app_id and m.user_id = d.user_id and u.deleted_at is null
)`;

/** Rollbacks are no deploys of the API's. */
function deploysOf(db: Db, ownerIds: readonly string[]) {
  return db
    .selectFrom("deploys as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(COLUMNS)
    .select(["a.name as app_name", "a.owner_id", DEPLOYED_BY.as("deployed_by")])
    .where("d.kind", "=", "deploy")
    .where("a.owner_id", "in", ownerIds);
}

/** `seq` is the deploy's place in the order of all, a bigint. */
export type DeployRow = InferResult<ReturnType<typeof deploysOf>>[number];

/** The deploy, provided that its app is one of these owners'. */
export async function readDeploy(db: Db, ownerIds: readonly string[], id: string): Promise<DeployRow | undefined> {
  return deploysOf(db, ownerIds).where("d.id", "=", id).executeTakeFirst();
}

/**
 * Reads the deploys that have started, newest first: a queued one appears when its run starts.
 * @param page.before the `seq` of the last deploy of the page before
 */
export async function readStartedDeploys(
  db: Db,
  ownerId: string,
  appId: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<DeployRow[]> {
  return deploysOf(db, [ownerId])
    .where("d.app_id", "=", appId)
    .$if(before !== undefined, (query) => query.where("d.seq", "<", before!))
    .where("d.started_at", "is not", null)
    .orderBy("d.seq", "desc")
    .limit(limit)
    .execute();
}

export async function readDeployStatus(db: Db, id: string): Promise<DeployStatus | undefined> {
  const row = await db.selectFrom("deploys").select("status").where("id", "=", id).executeTakeFirst();
  return row?.status;
}

export async function readDeployEnd(db: Db, id: string) {
  return db
    .selectFrom("deploys")
    .select(["status", "error", "error_code as errorCode"])
    .where("id", "=", id)
    .executeTakeFirst();
}

export interface LockedDeploy {
  kind: DeployKind;
  status: DeployStatus;
  release: string;
  server_id: string | null;
  /** A move that an operator has begun, or the platform. */
  is_operators: boolean;
}

/** The row stays locked until the transaction ends; the app's is locked before it. */
export async function lockDeploy(tx: Db, id: string): Promise<LockedDeploy | undefined> {
  return tx
    .selectFrom("deploys")
    .select(["kind", "status", "release", "server_id", "is_operators"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

export async function hasOpenDeploy(db: Db, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom("deploys")
    .select("id")
    .where("app_id", "=", appId)
    .where("status", "in", ["pending", "running"])
    .executeTakeFirst();
  return row !== undefined;
}

/** The app's deploy that waits or runs. */
export async function readOpenDeployId(db: Db, appId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("deploys")
    .select("id")
    .where("app_id", "=", appId)
    .where("status", "in", ["pending", "running"])
    .executeTakeFirst();
  return row?.id;
}

/** Reads the app's status before its open deploy. */
export async function changeFormerStatus(tx: Db, appId: string, status: AppStatus): Promise<void> {
  await tx
    .updateTable("deploys")
    .set({ former_app_status: status })
    .where("app_id", "=", appId)
    .where("status", "in", ["pending", "running"])
    .execute();
}

/** Adds a deploy with its four steps. The order of the server's queue is that of these calls. */
export async function insertDeploy(
  tx: Db,
  deploy: {
    id: string;
    appId: string;
    userId: string;
    serverId: string | null;
    status: "pending" | "running";
    ref: string | null;
    release: string;
    /** Makes it a rollback to that release. */
    targetReleaseId?: string | undefined;
    /** Makes it a move from that server. */
    movesFrom?: string;
    /** An operator moves it, or the platform. */
    isOperators?: boolean;
    /** The app's status before the deploy. */
    formerAppStatus: AppStatus;
  },
): Promise<void> {
  await tx
    .insertInto("deploys")
    .values({
      id: deploy.id,
      app_id: deploy.appId,
      user_id: deploy.userId,
      server_id: deploy.serverId,
      status: deploy.status,
      ref: deploy.ref,
      release: deploy.release,
      kind: kindOf(deploy),
      target_release_id: deploy.targetReleaseId ?? null,
      moves_from: deploy.movesFrom,
      is_operators: deploy.isOperators ?? false,
      former_app_status: deploy.formerAppStatus,
      started_at: deploy.status === "running" ? sql<Date>`now()` : null,
    })
    .execute();
  await tx
    .insertInto("deploy_steps")
    .values(
      STEP_NAMES.map((step) => ({
        deploy_id: deploy.id,
        step_order: stepOrder(step),
        step_name: step,
        status: "pending" as const,
      })),
    )
    .execute();
}

function kindOf({
  movesFrom,
  targetReleaseId,
}: {
  movesFrom?: string;
  targetReleaseId?: string | undefined;
}): DeployKind {
  if (movesFrom !== undefined) return "move";
  return targetReleaseId === undefined ? "deploy" : "rollback";
}

export async function readDeploySteps(db: Db, deployId: string) {
  return db
    .selectFrom("deploy_steps")
    .select(["step_name", "step_order", "status", "output", "error", "started_at", "finished_at"])
    .where("deploy_id", "=", deployId)
    .orderBy("step_order")
    .execute();
}

export type DeployStepRow = Awaited<ReturnType<typeof readDeploySteps>>[number];

/** Counts the deploys that have not ended: few, and in an index of their own, however many there have been. */
export async function countOpenDeploys(db: Db): Promise<Map<DeployStatus, number>> {
  const rows = await db
    .selectFrom("deploys")
    .select(["status", sql<number>`count(*)::integer`.as("count")])
    .where("kind", "=", "deploy")
    .where("status", "in", ["pending", "running"])
    .groupBy("status")
    .execute();
  return new Map(rows.map(({ status, count }) => [status, count]));
}
