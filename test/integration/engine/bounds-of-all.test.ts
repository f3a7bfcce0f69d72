import type { KyselyPlugin } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { deleteOldAudit } from "@svc/control-plane/platform/audit.store.ts";
import { dropLogsOverBudget, dropOutputsOverBudget } from "@svc/control-plane/deploys/events/deploy-retention.store.ts";
import {
  firstFreeReleaseNumber,
  hasRelease,
  keepReleaseNames,
} from "@svc/control-plane/deploys/releases/release-names.store.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { addApp, addServer } from "../../support/api/pipeline.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(() => database.query("truncate deploys, audit_log cascade"));

const query = async (text: string, values?: unknown[]) => (await database.query(text, values)).rows;
const names = async (text: string) => (await query(text)).map((row) => row["release"]);

/** So many ended deploys of a new app, each with two rows of log; log and output count 100 bytes each. @returns the app's id */
async function addDeploys(prefix: string, deploys: number): Promise<string> {
  const { id } = await addApp(database.db, { serverId: await addServer(database.db) });
  await query(
    `with added as (
       insert into deploys (id, app_id, user_id, status, release, started_at, finished_at, event_count, log_bytes, output_bytes)
       select gen_random_uuid(), a.id, a.owner_id, 'failed', $2 || n, now(), now(), 2, 100, 100
       from apps a, generate_series(1, $3::integer) n where a.id = $1 order by n
       returning id
     )
     insert into deploy_events (deploy_id, number, step_order, kind, payload)
     select id, n, 2, 'log', '{"lines": ["a"], "dropped": 0}' from added, generate_series(1, 2) n`,
    [id, prefix, deploys],
  );
  return id;
}

test("the logs of all apps together stay within their budget, the oldest deploys' first", async () => {
  await addDeploys("a", 3);
  await addDeploys("b", 3);
  const budget = { app: 1_000, all: 400 };
  expect(await dropLogsOverBudget(database.db, 1_000, { budget })).toBeGreaterThan(0);
  const left = "select release from deploys where log_bytes > 0 order by seq";
  expect(await names(left)).toEqual(["a3", "b1", "b2", "b3"]);
  expect(await dropLogsOverBudget(database.db, 1_000, { budget })).toBe(0);
});

test("the outputs of all apps together stay within their budget, the oldest deploys' first", async () => {
  await addDeploys("a", 3);
  await addDeploys("b", 3);
  expect(await dropOutputsOverBudget(database.db, { budget: { app: 1_000, all: 400 } })).toBe(2);
  expect(await names("select release from deploys where output_bytes > 0 order by seq")).toEqual([
    "a3",
    "b1",
    "b2",
    "b3",
  ]);
});

test("which logs are beyond the budget is computed once, however many deploys lose theirs", async () => {
  await addDeploys("a", 60);
  let sums = 0;
  const countSums: KyselyPlugin = {
    transformQuery({ node }) {
      if (JSON.stringify(node).includes("over (order by seq desc)")) sums += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const db = database.db.withPlugin(countSums);
  const budget = { app: 0, all: 0 };
  await dropLogsOverBudget(db, 1_000, { budget });
  await dropOutputsOverBudget(db, { budget });
  expect(sums).toBe(2);
  expect(await names("select release from deploys where log_bytes > 0 or output_bytes > 0")).toEqual([]);
});

async function addEntries(owner: string | null, entries: number): Promise<void> {
  await query(
    "insert into audit_log (actor, action, target, owner_id) select 'system', 'test', 'app:' || n, $1 from generate_series(1, $2::integer) n",
    [owner, entries],
  );
}

async function countEntries(owner: string | null): Promise<unknown> {
  const text = "select count(*)::integer as count from audit_log where owner_id is not distinct from $1";
  return (await query(text, [owner]))[0]?.["count"];
}

test("the audit log keeps so many of the operator's entries and so many of all owners', neither at the other's cost", async () => {
  const owners = [crypto.randomUUID(), crypto.randomUUID()];
  for (const owner of [null, ...owners, null]) await addEntries(owner, 5);
  const bounds = { owner: 10, operator: 7, all: 8 };
  while ((await deleteOldAudit(database.db, 2, bounds)) > 0);
  expect(await Promise.all([null, ...owners].map(countEntries))).toEqual([7, 4, 4]);
});

test("an owner that floods the audit log takes no entry from one that has fewer, also when those are older", async () => {
  const [quiet, busy, flooding] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  await addEntries(quiet, 3);
  await addEntries(busy, 6);
  await addEntries(flooding, 20);
  await query("insert into audit_log (actor, action, target, owner_id) values ('system', 'newest', 'app:1', $1)", [
    flooding,
  ]);
  // The flood is within its owner's own bound.
  const bounds = { owner: 100, operator: 100, all: 16 };
  let removed = 0;
  for (let rows = -1; rows !== 0; removed += rows) rows = await deleteOldAudit(database.db, 4, bounds);
  expect([removed, ...(await Promise.all([quiet, busy, flooding].map(countEntries)))]).toEqual([14, 3, 6, 7]);
  const left = await query("select action from audit_log where owner_id = $1 order by id desc limit 1", [flooding]);
  expect(left).toEqual([{ action: "newest" }]);
});

test("two processes that bound the audit log at once remove no more than what is beyond the bound", async () => {
  const owner = crypto.randomUUID();
  await addEntries(owner, 30);
  const bounds = { owner: 100, operator: 100, all: 10 };
  await Promise.all([1, 2, 3].map(() => deleteOldAudit(database.db, 50, bounds)));
  expect(await countEntries(owner)).toBe(10);
});

test("names of removed deploys stay in use, the newest of them within their bound", async () => {
  const appId = await addDeploys("v", 5);
  const { db } = database;
  const deployIds = (await query("select id from deploys where release <> 'v5'")).map((row) => String(row["id"]));
  await keepReleaseNames(db, { appIds: [appId], deployIds, kept: 3 });
  await query("delete from deploys where release <> 'v5'");
  const used = await Promise.all(["v1", "v2", "v3", "v4", "v5", "v6"].map((name) => hasRelease(db, appId, name)));
  expect(used).toEqual([false, true, true, true, true, false]);
  expect(await firstFreeReleaseNumber(db, appId, 2)).toBe(6);
});
