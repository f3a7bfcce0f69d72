import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { Redactors } from "@svc/shared/redaction/redactors.ts";
import { startNotifications, type RunningNotifications } from "@svc/control-plane/platform/database/notifications.ts";
import { startAppDeploy } from "@svc/control-plane/apps/status/app-deploys.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import { openHosting } from "@svc/control-plane/repositories/hosting/hosting.ts";
import { pipelineTiming, type PipelineTiming } from "@svc/control-plane/deploys/pipeline/context.ts";
import { createDispatcher, type Dispatcher } from "@svc/control-plane/deploys/pipeline/dispatcher.ts";
import { sealContext } from "@svc/control-plane/ports.ts";
import { policyFor } from "./pipeline-policy.ts";
import { testKeyRing } from "./key-ring.ts";
import { ScriptedLinks } from "../agent/scripted-agent.ts";
import { eventually } from "../tools/eventually.ts";

/** Short enough for a test, in the proportions of the real ones. */
export const quickTiming: PipelineTiming = {
  ...pipelineTiming,
  claimMs: 600,
  claimRenewMs: 150,
  agentAwayMs: 900,
  moveAwayMs: 300,
  answerMs: 2_000,
  abandonedMs: 2_000,
  pollMs: 100,
};

const keyRing = testKeyRing;

/** One control-plane process as far as deploys are concerned, on a database that others may share. */
export interface Worker {
  links: ScriptedLinks;
  dispatcher: Dispatcher;
  /** Ends the process in order; a second call waits for the end of the first. */
  stop(): Promise<void>;
}

export async function startWorker(database: { url: string; db: Db }, timing = quickTiming): Promise<Worker> {
  const links = new ScriptedLinks();
  const processId = randomUUID();
  const notifications: RunningNotifications = await startNotifications({
    url: database.url,
    processId,
    clock: systemClock,
    log: silentLogger,
  });
  const dataDirectory = mkdtempSync(join(tmpdir(), "svc-worker-"));
  const hosting = await openHosting({
    db: database.db,
    keyRing,
    clock: systemClock,
    baseUrl: "http://127.0.0.1",
    dataDirectory,
  });
  const dispatcher = createDispatcher({
    hosting,
    db: database.db,
    links,
    notifications,
    keyRing,
    redactors: new Redactors(),
    clock: systemClock,
    log: silentLogger,
    processId,
    timing,
    policy: policyFor("apps.test"),
  });
  dispatcher.start();
  const end = async (): Promise<void> => {
    await dispatcher.stop();
    await notifications.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  let ended: Promise<void> | undefined;
  return { links, dispatcher, stop: () => (ended ??= end()) };
}

export async function addServer(db: Db): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto("servers")
    .values({ id, name: `server-${id.slice(0, 8)}`, state: "active" })
    .execute();
  return id;
}

async function addUser(db: Db): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto("users")
    .values({ id, email: `${id}@example.test`, tier: "free" })
    .execute();
  return id;
}

export interface AddApp {
  serverId: string | null;
  needsDatabase?: boolean;
  env?: Record<string, string>;
}

export async function addApp(db: Db, options: AddApp): Promise<{ id: string; name: string; userId: string }> {
  const userId = await addUser(db);
  const id = randomUUID();
  const name = `app-${id.slice(0, 8)}`;
  await db
    .insertInto("apps")
    .values({
      id,
      name,
      owner_id: userId,
      status: "deploying",
      repo_url: "https://git.test/app.git",
      needs_database: options.needsDatabase ?? false,
      server_id: options.serverId,
    })
    .execute();
  await setEnv(db, id, options.env ?? {});
  return { id, name, userId };
}

/** In the place of what the app had. */
export async function setEnv(db: Db, appId: string, env: Record<string, string>): Promise<void> {
  await db.deleteFrom("env_vars").where("app_id", "=", appId).execute();
  for (const [key, value] of Object.entries(env)) {
    await db
      .insertInto("env_vars")
      .values({ app_id: appId, key, value: keyRing.seal(value, sealContext.env(appId, key)) })
      .execute();
  }
}

let releases = 0;

/** Writes what starting a deploy writes when it is queued. */
export async function addDeploy(db: Db, app: { id: string; userId: string }, serverId: string | null): Promise<string> {
  const id = randomUUID();
  await db.transaction().execute(async (trx) => {
    const before = await trx.selectFrom("apps").select("status").where("id", "=", app.id).executeTakeFirstOrThrow();
    await startAppDeploy(trx, app.id, serverId);
    await trx
      .insertInto("deploys")
      .values({
        id,
        app_id: app.id,
        user_id: app.userId,
        server_id: serverId,
        status: "pending",
        former_app_status: before.status,
        release: `r${++releases}`,
      })
      .execute();
    const steps = STEP_NAMES.map((step_name, i) => ({
      deploy_id: id,
      step_order: i + 1,
      step_name,
      status: "pending" as const,
    }));
    await trx.insertInto("deploy_steps").values(steps).execute();
  });
  return id;
}

/** A new app of that server, and its first deploy. */
export async function addAppAndDeploy(db: Db, options: AddApp) {
  const app = await addApp(db, options);
  return { app, deployId: await addDeploy(db, app, options.serverId) };
}

export async function appRow(db: Db, id: string) {
  return db.selectFrom("apps").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

export async function deployRow(db: Db, id: string) {
  return db.selectFrom("deploys").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

export async function stepRows(db: Db, id: string) {
  return db.selectFrom("deploy_steps").selectAll().where("deploy_id", "=", id).orderBy("step_order").execute();
}

export async function deployEnd(db: Db, id: string, deadlineMs = 10_000) {
  return eventually(
    async () => deployRow(db, id),
    (row) => row.finished_at !== null,
    { what: `deploy ${id} ends`, deadlineMs },
  );
}
