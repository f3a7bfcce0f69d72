import { sql, type Transaction } from "kysely";
import type { DeployKind, DeployStatus } from "./deploy.ts";
import type { Db } from "../platform/database/database.ts";
import { insertEvents } from "./events/deploy-events.store.ts";
import { notify } from "../platform/database/notify.ts";
import { isAbsent } from "../platform/database/process-presence.store.ts";
import type { Database, Row } from "../platform/database/schema.ts";

/** A deploy in the hands of one worker. Every write names worker and attempt, so a worker that was replaced writes nothing. */
export interface Claim {
  deployId: string;
  appId: string;
  appName: string;
  serverId: string;
  ref: string | undefined;
  release: string;
  kind: DeployKind;
  /** The release that a rollback goes back to, or that a move starts on the other server. */
  targetReleaseId: string | undefined;
  /** The server that a move leaves. */
  movesFrom: string | undefined;
  attempt: number;
  workerId: string;
}

const CLAIM_COLUMNS = ["id", "app_id", "ref", "release", "kind", "target_release_id", "moves_from", "attempt"] as const;
const appName = sql<string>`(select name from apps where id = deploys.app_id)`.as("app_name");

type ClaimRow = Row<"deploys", (typeof CLAIM_COLUMNS)[number]> & { app_name: string };

function toClaim(row: ClaimRow, serverId: string, workerId: string): Claim {
  return {
    deployId: row.id,
    appId: row.app_id,
    appName: row.app_name,
    serverId,
    ref: row.ref ?? undefined,
    release: row.release,
    kind: row.kind,
    targetReleaseId: row.target_release_id ?? undefined,
    movesFrom: row.moves_from ?? undefined,
    attempt: row.attempt,
    workerId,
  };
}

/** Another worker has the deploy now, or it has ended; whoever sees this stops without a trace. */
export class ClaimLost extends Error {
  override readonly name = "ClaimLost";
}

/**
 * The server's deploy that needs a worker: one that runs without a live lease, or whose worker's process is gone, else the
 * oldest pending one when none runs; or one of its rollbacks that is so, however many run. The server's row is locked
 * meanwhile, so that order holds with any number of processes. For a process that has the agent's link: a worker that lives
 * after all is fenced off by the attempt.
 * @param onlyBegun only one that a worker has had before
 */
export async function claimDeploy(
  db: Db,
  serverId: string,
  workerId: string,
  { kind, leaseMs, onlyBegun = false }: { kind: DeployKind; leaseMs: number; onlyBegun?: boolean },
): Promise<Claim | undefined> {
  return db.transaction().execute(async (trx) => {
    const server = await trx
      .selectFrom("servers")
      .select("state")
      .where("id", "=", serverId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!server) return undefined;
    const running = await runningDeploy(trx, serverId, kind);
    if (running && !running.unclaimed) return undefined;
    if (onlyBegun && !running?.attempt) return undefined;
    const next = running ?? (server.state === "removed" ? undefined : await oldestPending(trx, serverId, kind));
    if (!next) return undefined;

    const row = await trx
      .updateTable("deploys")
      .set({
        status: "running",
        started_at: sql<Date>`coalesce(started_at, now())`,
        attempt: sql<number>`attempt + 1`,
        worker_id: workerId,
        lease_until: leaseEnd(leaseMs),
      })
      .where("id", "=", next.id)
      .returning(CLAIM_COLUMNS)
      .returning(appName)
      .executeTakeFirstOrThrow();
    if (row.attempt === 1) await insertEvents(trx, row.id, [{ kind: "deploy", payload: { status: "running" } }]);
    return toClaim(row, serverId, workerId);
  });
}

/** Finds the running deploy; of rollbacks, one without a worker first, then those that have begun. */
async function runningDeploy(trx: Db, serverId: string, kind: DeployKind) {
  const unclaimed = sql<boolean>`(${hasNoLease} or ${isAbsent("worker_id")})`;
  return trx
    .selectFrom("deploys")
    .select(["id", "attempt", unclaimed.as("unclaimed")])
    .where("server_id", "=", serverId)
    .where("kind", "=", kind)
    .where("status", "=", "running")
    .orderBy(unclaimed, "desc")
    .orderBy("attempt", "desc")
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
}

async function oldestPending(trx: Db, serverId: string, kind: DeployKind): Promise<{ id: string } | undefined> {
  return trx
    .selectFrom("deploys")
    .select("id")
    .where("server_id", "=", serverId)
    .where("kind", "=", kind)
    .where("status", "=", "pending")
    .orderBy("seq")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

function leaseEnd(leaseMs: number) {
  return sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`;
}

const hasNoLease = sql<boolean>`(lease_until is null or lease_until <= now())`;

/**
 * @param leaseMs 0 leaves the deploy to any process that can go on with it, until this one renews the claim again
 * @throws ClaimLost
 */
export async function renewClaim(db: Db, claim: Claim, leaseMs: number): Promise<{ cancelRequested: boolean }> {
  const row = await db
    .updateTable("deploys")
    .set({ lease_until: leaseEnd(leaseMs) })
    .where("id", "=", claim.deployId)
    .where("worker_id", "=", claim.workerId)
    .where("attempt", "=", claim.attempt)
    .where("status", "=", "running")
    .returning("cancel_requested_at")
    .executeTakeFirst();
  if (!row) throw new ClaimLost();
  return { cancelRequested: row.cancel_requested_at !== null };
}

/** Gives a running deploy to whoever claims next: a process that stops leaves its work to another at once. */
export async function giveUpClaim(db: Db, claim: Claim): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable("deploys")
      .set({ lease_until: sql<Date>`now()`, worker_id: null })
      .where("id", "=", claim.deployId)
      .where("worker_id", "=", claim.workerId)
      .where("attempt", "=", claim.attempt)
      .where("status", "=", "running")
      .execute();
    await notify(trx, "deploy_queue", claim.serverId);
  });
}

/** Runs `work` in a transaction that holds the deploy's row, provided that the claim still stands. @throws ClaimLost */
export async function withClaim<T>(
  db: Db,
  claim: Claim,
  work: (trx: Transaction<Database>, deploy: { cancelRequested: boolean }) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => work(trx, await requireClaim(trx, claim)));
}

/** Works as withClaim, for work that changes the app too: its row is locked first, as everywhere. @throws ClaimLost */
export async function withAppAndClaim<T>(
  db: Db,
  claim: Claim,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await trx.selectFrom("apps").select("id").where("id", "=", claim.appId).forNoKeyUpdate().execute();
    await requireClaim(trx, claim);
    return work(trx);
  });
}

/** Locks the deploy's row. @throws ClaimLost */
async function requireClaim(trx: Db, claim: Claim): Promise<{ cancelRequested: boolean }> {
  const row = await trx
    .selectFrom("deploys")
    .select("cancel_requested_at")
    .where("id", "=", claim.deployId)
    .where("worker_id", "=", claim.workerId)
    .where("attempt", "=", claim.attempt)
    .where("status", "=", "running")
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new ClaimLost();
  return { cancelRequested: row.cancel_requested_at !== null };
}

/** Running deploys that nobody has worked on for `graceMs` since their lease ended (or, unclaimed, since they started). */
export async function readAbandoned(db: Db, graceMs: number): Promise<Claim[]> {
  const rows = await db
    .selectFrom("deploys")
    .select(CLAIM_COLUMNS)
    .select(["server_id", appName])
    .where("status", "=", "running")
    .where(sql<boolean>`coalesce(lease_until, started_at) < now() - ${graceMs} * interval '1 millisecond'`)
    .execute();
  return rows.flatMap((row) => (row.server_id === null ? [] : [toClaim(row, row.server_id, "")]));
}

/** Takes an abandoned deploy over in order to end it; undefined when somebody else was faster. */
export async function takeAbandoned(
  db: Db,
  abandoned: Claim,
  workerId: string,
  leaseMs: number,
): Promise<Claim | undefined> {
  const row = await db
    .updateTable("deploys")
    .set({ worker_id: workerId, attempt: abandoned.attempt + 1, lease_until: leaseEnd(leaseMs) })
    .where("id", "=", abandoned.deployId)
    .where("attempt", "=", abandoned.attempt)
    .where("status", "=", "running")
    .where(hasNoLease)
    .returning("attempt")
    .executeTakeFirst();
  return row && { ...abandoned, workerId, attempt: row.attempt };
}

/** Status of a deploy with its app, for whoever finds its lock on an agent. */
export async function readLockHolder(
  db: Db,
  deployId: string,
): Promise<{ status: DeployStatus; attempt: number; appId: string; appName: string } | undefined> {
  const row = await db
    .selectFrom("deploys as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["d.status", "d.attempt", "a.id", "a.name"])
    .where("d.id", "=", deployId)
    .executeTakeFirst();
  return row && { status: row.status, attempt: row.attempt, appId: row.id, appName: row.name };
}
