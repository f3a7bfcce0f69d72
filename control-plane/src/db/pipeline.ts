import { sql, type Kysely, type Transaction } from "kysely";
import type { ErrorCode } from "@svc/shared/errors.ts";
import type { Database } from "./schema.ts";
import { STEP_NAMES, type DeployStatus, type StepName, type StepStatus } from "../domain/deploy.ts";
import type { Channel } from "../ports.ts";

/** A deploy in the hands of one worker. Every write names worker and attempt, so a worker that was replaced writes nothing. */
export interface Claim {
  deployId: string;
  appId: string;
  userId: string;
  serverId: string;
  ref: string | undefined;
  release: string;
  /** Of a rollback: the release that it goes back to. */
  targetReleaseId: string | undefined;
  attempt: number;
  workerId: string;
}

export interface StepRow {
  name: StepName;
  order: number;
  status: StepStatus;
  run: number;
  lastEventNumber: number;
  result: Record<string, unknown> | undefined;
  error: string | undefined;
  errorCode: ErrorCode | undefined;
}

export interface NewEvent {
  kind: "log" | "progress" | "step" | "deploy";
  stepOrder?: number;
  payload: Record<string, unknown>;
}

/** Another worker has the deploy now, or it has ended; whoever sees this stops without a trace. */
export class ClaimLost extends Error {
  override readonly name = "ClaimLost";
}

type Db = Kysely<Database> | Transaction<Database>;

export async function notify(db: Db, channel: Channel, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}

/**
 * The server's deploy that needs a worker: one that runs without a live lease, else the oldest pending one when none
 * runs. The server's row is locked meanwhile, so that order holds with any number of processes.
 */
export async function claimDeploy(
  db: Kysely<Database>,
  serverId: string,
  workerId: string,
  leaseMs: number,
): Promise<Claim | undefined> {
  return db.transaction().execute(async (trx) => {
    const server = await trx
      .selectFrom("servers")
      .select("state")
      .where("id", "=", serverId)
      .forUpdate()
      .executeTakeFirst();
    if (!server) return undefined;
    const running = await trx
      .selectFrom("deploys")
      .select(["id", sql<boolean>`lease_until is null or lease_until <= now()`.as("unclaimed")])
      .where("server_id", "=", serverId)
      .where("status", "=", "running")
      .executeTakeFirst();
    if (running && !running.unclaimed) return undefined;
    const next = running ?? (server.state === "removed" ? undefined : await oldestPending(trx, serverId));
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
      .returning(["id", "app_id", "user_id", "ref", "release", "target_release_id", "attempt"])
      .executeTakeFirstOrThrow();
    const claim = {
      deployId: row.id,
      appId: row.app_id,
      userId: row.user_id,
      serverId,
      ref: row.ref ?? undefined,
      release: row.release,
      targetReleaseId: row.target_release_id ?? undefined,
      attempt: row.attempt,
      workerId,
    };
    if (row.attempt === 1) await insertEvents(trx, row.id, [{ kind: "deploy", payload: { status: "running" } }]);
    return claim;
  });
}

async function oldestPending(trx: Transaction<Database>, serverId: string): Promise<{ id: string } | undefined> {
  return trx
    .selectFrom("deploys")
    .select("id")
    .where("server_id", "=", serverId)
    .where("status", "=", "pending")
    .orderBy("seq")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

function leaseEnd(leaseMs: number) {
  return sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`;
}

/** @throws ClaimLost */
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
export async function giveUpClaim(db: Kysely<Database>, claim: Claim): Promise<void> {
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
  db: Kysely<Database>,
  claim: Claim,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await requireClaim(trx, claim);
    return work(trx);
  });
}

/** As withClaim, for work that changes the app too: its row is locked first, as everywhere. @throws ClaimLost */
export async function withAppAndClaim<T>(
  db: Kysely<Database>,
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
async function requireClaim(trx: Transaction<Database>, claim: Claim): Promise<void> {
  const row = await trx
    .selectFrom("deploys")
    .select("id")
    .where("id", "=", claim.deployId)
    .where("worker_id", "=", claim.workerId)
    .where("attempt", "=", claim.attempt)
    .where("status", "=", "running")
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new ClaimLost();
}

/** Appends to the deploy's event log, numbered without gaps. The caller holds the deploy's row. */
export async function insertEvents(trx: Db, deployId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { event_count } = await trx
    .updateTable("deploys")
    .set({ event_count: sql<string>`event_count + ${events.length}` })
    .where("id", "=", deployId)
    .returning("event_count")
    .executeTakeFirstOrThrow();
  const first = Number(event_count) - events.length + 1;
  await trx
    .insertInto("deploy_events")
    .values(
      events.map((event, i) => ({
        deploy_id: deployId,
        number: String(first + i),
        step_order: event.stepOrder ?? null,
        kind: event.kind,
        payload: JSON.stringify(event.payload),
      })),
    )
    .execute();
  await notify(trx, "deploy_events", deployId);
}

export async function readSteps(db: Db, deployId: string): Promise<StepRow[]> {
  const rows = await db
    .selectFrom("deploy_steps")
    .select(["step_name", "step_order", "status", "run", "last_event_number", "result", "error", "error_code"])
    .where("deploy_id", "=", deployId)
    .orderBy("step_order")
    .execute();
  return rows.map((row) => ({
    name: row.step_name,
    order: row.step_order,
    status: row.status,
    run: row.run,
    lastEventNumber: Number(row.last_event_number),
    result: row.result ?? undefined,
    error: row.error ?? undefined,
    errorCode: row.error_code ?? undefined,
  }));
}

/** Marks the step running and registers its undo, before anything is asked of the agent. */
export async function recordStepStart(db: Kysely<Database>, claim: Claim, step: StepRow): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({
        status: "running",
        started_at: sql<Date>`coalesce(started_at, now())`,
        undo_registered_at: sql<Date>`coalesce(undo_registered_at, now())`,
      })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", step.order)
      .execute();
    await insertEvents(trx, claim.deployId, [stepEvent(step, "running")]);
  });
}

/** Stores what the agent sent, and up to which number, in one transaction: nothing is stored twice or lost. */
export async function recordStepEvents(
  db: Kysely<Database>,
  claim: Claim,
  step: StepRow,
  lastEventNumber: number,
  events: readonly NewEvent[],
): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({ last_event_number: String(lastEventNumber) })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", step.order)
      .execute();
    await insertEvents(trx, claim.deployId, events);
  });
}

/** The agent's process died during the run: the next one is numbered afresh. */
export async function recordStepRerun(db: Kysely<Database>, claim: Claim, step: StepRow): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({ run: step.run + 1, last_event_number: "0" })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", step.order)
      .execute();
    await insertEvents(trx, claim.deployId, [
      {
        kind: "log",
        stepOrder: step.order,
        payload: { lines: ["The agent was restarted during this step; it runs again."], dropped: 0 },
      },
    ]);
  });
}

export interface StepEnd {
  status: Exclude<StepStatus, "pending" | "running">;
  output: string;
  error?: string;
  errorCode?: ErrorCode;
  result?: Record<string, unknown>;
}

export async function recordStepEnd(
  trx: Transaction<Database>,
  claim: Claim,
  step: StepRow,
  end: StepEnd,
): Promise<void> {
  await trx
    .updateTable("deploy_steps")
    .set({
      status: end.status,
      output: end.output,
      error: end.error ?? null,
      error_code: end.errorCode ?? null,
      finished_at: sql<Date>`now()`,
      result: end.result === undefined ? null : JSON.stringify(end.result),
    })
    .where("deploy_id", "=", claim.deployId)
    .where("step_order", "=", step.order)
    .execute();
  await insertEvents(trx, claim.deployId, [stepEvent(step, end.status, end.error)]);
}

export function stepEvent(step: Pick<StepRow, "name" | "order">, status: StepStatus, error?: string): NewEvent {
  const payload = { step_name: step.name, step_order: step.order, status, ...(error === undefined ? {} : { error }) };
  return { kind: "step", stepOrder: step.order, payload };
}

/** What is left to take back on the server: steps of ended deploys that did not succeed, the last step first. */
export async function readLeftovers(
  db: Db,
  serverId: string,
): Promise<{ deployId: string; appId: string; appName: string; step: StepName }[]> {
  const rows = await db
    .selectFrom("deploy_steps as s")
    .innerJoin("deploys as d", "d.id", "s.deploy_id")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["d.id", "a.id as app_id", "a.name", "s.step_name"])
    .where("d.server_id", "=", serverId)
    .where("d.status", "in", ["failed", "canceled"])
    .where("s.undo_registered_at", "is not", null)
    .where("s.undone_at", "is", null)
    .orderBy("d.seq")
    .orderBy("s.step_order", "desc")
    .execute();
  return rows.map((row) => ({ deployId: row.id, appId: row.app_id, appName: row.name, step: row.step_name }));
}

export async function readUndoOf(db: Db, deployId: string): Promise<StepName[]> {
  const rows = await db
    .selectFrom("deploy_steps")
    .select("step_name")
    .where("deploy_id", "=", deployId)
    .where("undo_registered_at", "is not", null)
    .where("undone_at", "is", null)
    .orderBy("step_order", "desc")
    .execute();
  return rows.map((row) => row.step_name);
}

export async function recordUndone(db: Db, deployId: string, step: StepName): Promise<void> {
  await db
    .updateTable("deploy_steps")
    .set({ undone_at: sql<Date>`now()` })
    .where("deploy_id", "=", deployId)
    .where("step_order", "=", STEP_NAMES.indexOf(step) + 1)
    .execute();
}

/** Running deploys that nobody has worked on for `graceMs` since their lease ended (or, unclaimed, since they started). */
export async function readAbandoned(db: Db, graceMs: number): Promise<Claim[]> {
  const rows = await db
    .selectFrom("deploys")
    .select(["id", "app_id", "user_id", "server_id", "ref", "release", "target_release_id", "attempt"])
    .where("status", "=", "running")
    .where(sql<boolean>`coalesce(lease_until, started_at) < now() - ${graceMs} * interval '1 millisecond'`)
    .execute();
  return rows.flatMap((row) =>
    row.server_id === null
      ? []
      : [
          {
            deployId: row.id,
            appId: row.app_id,
            userId: row.user_id,
            serverId: row.server_id,
            ref: row.ref ?? undefined,
            release: row.release,
            targetReleaseId: row.target_release_id ?? undefined,
            attempt: row.attempt,
            workerId: "",
          },
        ],
  );
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
    .where(sql<boolean>`(lease_until is null or lease_until <= now())`)
    .returning("attempt")
    .executeTakeFirst();
  return row && { ...abandoned, workerId, attempt: row.attempt };
}

/** Gives deploys that no server was known for to this one, oldest first. Returns whether there were any. */
export async function adoptUnplaced(db: Kysely<Database>, serverId: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // Locked before the server and the deploys, as everywhere.
    const apps = await trx
      .selectFrom("apps")
      .select("id")
      .where("id", "in", (eb) =>
        eb.selectFrom("deploys").select("app_id").where("server_id", "is", null).where("status", "=", "pending"),
      )
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
    if (apps.length === 0) return false;
    const server = await trx
      .selectFrom("servers")
      .select("state")
      .where("id", "=", serverId)
      .where("state", "=", "active")
      .forUpdate()
      .executeTakeFirst();
    if (!server) return false;
    const rows = await trx
      .updateTable("deploys")
      .set({ server_id: serverId })
      .where("server_id", "is", null)
      .where("status", "=", "pending")
      .where(
        "app_id",
        "in",
        apps.map(({ id }) => id),
      )
      .returning("app_id")
      .execute();
    if (rows.length === 0) return false;
    const appIds = rows.map((row) => row.app_id);
    await trx
      .updateTable("apps")
      .set({ server_id: serverId })
      .where("id", "in", appIds)
      .where("server_id", "is", null)
      .execute();
    return true;
  });
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
