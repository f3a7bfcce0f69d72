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

test("the audit log keeps so many of the operator's entries and so many of all owners', neither at the other's cost", async () => {
  const owners = [crypto.randomUUID(), crypto.randomUUID()];
  for (const owner of [null, ...owners, null]) {
    await query(
      "insert into audit_log (actor, action, target, owner_id) select 'system', 'test', 'app:' || n, $1 from generate_series(1, 5) n",
      [owner],
    );
  }
  const bounds = { owner: 10, operator: 7, all: 8 };
  while ((await deleteOldAudit(database.db, 2, bounds)) > 0);
  const kept = await query("select owner_id, count(*)::integer as count from audit_log group by owner_id");
  const countOf = (owner: string | null) => kept.find((row) => row["owner_id"] === owner)?.["count"];
  expect([countOf(null), ...owners.map(countOf)]).toEqual([7, 3, 5]);
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
