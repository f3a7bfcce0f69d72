import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AUDIT_BOUNDS, deleteOldAudit } from "@svc/control-plane/platform/audit.store.ts";
import {
  deleteDeploysBeyondKept,
  deleteOldDeployEvents,
  deletePurgedDeploys,
  DEPLOYS_KEPT,
  dropLogsOverBudget,
  LOG_BUDGET,
  OUTPUT_BUDGET,
} from "@svc/control-plane/deploys/events/deploy-retention.store.ts";
import { readPreviousRelease } from "@svc/control-plane/deploys/releases/releases.store.ts";
import { tidyUp } from "@svc/control-plane/deploys/events/janitor.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
let ada: Caller;
let count = 0;
let name: string;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

beforeEach(async () => {
  name = `app-${++count}`;
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/a.git" });
});

const query = async (text: string, values?: unknown[]) => (await http.database.query(text, values)).rows;
const tidy = () => tidyUp({ db: http.database.db, log: silentLogger }, new AbortController().signal);
const one = async (text: string, values?: unknown[]) => (await query(text, values))[0]!;

/** So many ended deploys of the app, `d1` the oldest, each with `events` rows of log that count as `logBytes`. */
async function addDeploys(
  deploys: number,
  { events = 0, logBytes = 0, status = "failed", ended = "now()", from = 1 } = {},
): Promise<void> {
  await query(
    `with added as (
       insert into deploys (id, app_id, user_id, status, release, started_at, finished_at, event_count, log_bytes)
       select gen_random_uuid(), a.id, a.owner_id, $2, 'd' || n, now(), ${ended}, $4, $5
       from apps a, generate_series($6::integer, $6 + $3 - 1) n where a.name = $1 order by n
       returning id
     ), steps as (
       insert into deploy_steps (deploy_id, step_order, step_name, status, output)
       select id, 2, 'clone_build', $2, 'what the build said' from added
     )
     insert into deploy_events (deploy_id, number, step_order, kind, payload)
     select id, n, 2, 'log', jsonb_build_object('lines', jsonb_build_array('a', 'b'), 'dropped', 0)
     from added, generate_series(1, $4) n`,
    [name, status, deploys, events, logBytes, from],
  );
}

const deployOf = async (release: string): Promise<string> =>
  String(
    (
      await one("select d.id from deploys d join apps a on a.id = app_id where a.name = $1 and release = $2", [
        name,
        release,
      ])
    )["id"],
  );
const eventsOf = async (release: string) =>
  query("select number::integer, payload from deploy_events where deploy_id = $1 order by number", [
    await deployOf(release),
  ]);

test("events go 14 days after their deploy has ended, a batch at a time", async () => {
  await addDeploys(1, { events: 5, ended: "now() - interval '14 days 1 minute'" });
  await addDeploys(1, { events: 5, ended: "now() - interval '13 days'", from: 2 });
  const { db } = http.database;
  const removed = [
    await deleteOldDeployEvents(db, 3),
    await deleteOldDeployEvents(db, 3),
    await deleteOldDeployEvents(db, 3),
  ];
  // The third row is the note that none are left.
  expect(removed).toEqual([3, 3, 0]);
  expect([await eventsOf("d1"), (await eventsOf("d2")).length]).toEqual([[], 5]);
});

test("an app's logs stay within their budget: the oldest make way for a count of their lines", async () => {
  const third = Math.floor(LOG_BUDGET.app / 3);
  await addDeploys(5, { events: 2_500, logBytes: third });
  await tidy();
  const dropped = [{ number: 2_500, payload: { lines: [], dropped: 5_000 } }];
  expect([await eventsOf("d1"), await eventsOf("d2")]).toEqual([dropped, dropped]);
  for (const release of ["d3", "d4", "d5"]) expect(await eventsOf(release)).toHaveLength(2_500);
  expect(await tidy()).toEqual({});
});

test("a follower that comes back to lines that were dropped is told how many, and goes on", async () => {
  await addDeploys(2, { events: 40, logBytes: LOG_BUDGET.app });
  await query(
    "insert into deploy_events (deploy_id, number, kind, payload) values ($1, 41, 'deploy', '{\"status\": \"failed\"}')",
    [await deployOf("d1")],
  );
  await tidy();
  const { text } = await ada.call("GET", `/api/deploys/${await deployOf("d1")}/events`, undefined, {
    "Last-Event-ID": "7",
  });
  const events = [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)].map(([, id, event, data]) => ({
    id,
    event,
    data: JSON.parse(data!) as unknown,
  }));
  expect(events).toMatchObject([
    { id: "40", event: "log", data: { lines: [], dropped: 80 } },
    { id: "41", event: "deploy", data: { status: "failed" } },
  ]);
});

test("the log of a deploy that runs is left alone, however much there is", async () => {
  await ada.call("POST", `/api/apps/${name}/deploy`, {});
  await query("update deploys set log_bytes = $2 where app_id = (select id from apps where name = $1)", [
    name,
    10 * LOG_BUDGET.app,
  ]);
  expect(await dropLogsOverBudget(http.database.db, 10)).toBe(0);
});

test("an app's outputs stay within their budget, and one that was removed says so", async () => {
  await addDeploys(3);
  await query("update deploys set output_bytes = $2 where app_id = (select id from apps where name = $1)", [
    name,
    Math.floor(OUTPUT_BUDGET.app / 2),
  ]);
  await query("update deploy_steps set output = repeat('x', 1000) where deploy_id = $1", [await deployOf("d1")]);
  await tidy();
  const outputOf = async (release: string) =>
    (await one("select output from deploy_steps where deploy_id = $1", [await deployOf(release)]))["output"];
  expect(await outputOf("d1")).toBe("[The output was removed: later deploys needed its place.]");
  expect(await outputOf("d2")).toBe("what the build said");
});

test("an app keeps its newest deploys and those whose releases served last, and its numbers go on", async () => {
  await addDeploys(DEPLOYS_KEPT + 3);
  for (const release of ["d1", "d2"]) {
    await query("update deploys set status = status where id = $1", [await deployOf(release)]);
    const served = await deployOf(release);
    await query("alter table deploys disable trigger deploys_next_status");
    await query("update deploys set status = 'success' where id = $1", [served]);
    await query("alter table deploys enable trigger deploys_next_status");
    await query(
      `insert into releases (id, app_id, deploy_id, name, image_digest, commit_sha, framework, port, env)
       select gen_random_uuid(), app_id, id, release, 'sha256:0', 'a', 'node', 3000, '' from deploys where id = $1`,
      [served],
    );
  }
  const app = await one("select id from apps where name = $1", [name]);
  const release = await one("select id from releases where app_id = $1 and name = 'd2'", [app["id"]]);
  await query(
    "update apps set current_release_id = $2, status = 'running', deploy_count = $3, updated_at = now() where id = $1",
    [app["id"], release["id"], DEPLOYS_KEPT + 3],
  );
  expect(await deleteDeploysBeyondKept(http.database.db)).toBe(1);
  expect(await deleteDeploysBeyondKept(http.database.db)).toBe(0);
  const kept = await query("select release from deploys where app_id = $1 order by seq limit 3", [app["id"]]);
  expect(kept.map((row) => row["release"])).toEqual(["d1", "d2", "d4"]);
  expect(await readPreviousRelease(http.database.db, String(app["id"]), String(release["id"]))).toBeDefined();
  // The name of a deploy that was removed is used all the same.
  const again = await ada.call("POST", `/api/apps/${name}/deploy`, { release: "d3" });
  expect([again.status, again.json["error"]]).toEqual([409, "release_in_use"]);
  expect((await ada.call("POST", `/api/apps/${name}/deploy`, {})).status).toBe(202);
  const newest = await one("select release from deploys where app_id = $1 order by seq desc limit 1", [app["id"]]);
  expect(newest["release"]).toBe(`v${DEPLOYS_KEPT + 4}`);
});

test("a deploy whose image a rollback may need stays, however many have served since", async () => {
  await addDeploys(DEPLOYS_KEPT + 30);
  const app = await one("select id, owner_id from apps where name = $1", [name]);
  await query("alter table deploys disable trigger deploys_next_status");
  for (const release of ["d1", "d2"]) {
    await query("update deploys set status = 'success' where id = $1", [await deployOf(release)]);
    await query(
      `insert into releases (id, app_id, deploy_id, name, image_digest, commit_sha, framework, port, env)
       select gen_random_uuid(), app_id, id, release, 'sha256:0', 'a', 'node', 3000, '' from deploys where id = $1`,
      [await deployOf(release)],
    );
  }
  await query("alter table deploys enable trigger deploys_next_status");
  await query(
    `insert into deploys (id, app_id, user_id, status, release, kind, target_release_id, finished_at)
     select gen_random_uuid(), $1, $2, 'success', 'rollback:' || n, 'rollback', r.id, now()
     from generate_series(1, 25) n, releases r where r.app_id = $1 and r.name = 'd2'`,
    [app["id"], app["owner_id"]],
  );
  await query("update apps set updated_at = now() where id = $1", [app["id"]]);
  const tidyDeploys = async () => {
    for (let removed = -1; removed !== 0;) removed = await deleteDeploysBeyondKept(http.database.db);
  };
  await tidyDeploys();
  expect(await deployOf("d1")).toBeDefined();
  await query("update releases set image_kept = false where app_id = $1 and name = 'd1'", [app["id"]]);
  await tidyDeploys();
  expect(await query("select id from deploys where app_id = $1 and release in ('d1', 'd2')", [app["id"]])).toHaveLength(
    1,
  );
});

test("a deploy that is still to be taken back from its server stays", async () => {
  await tidy();
  await addDeploys(DEPLOYS_KEPT + 1);
  await query("update deploy_steps set undo_registered_at = now() where deploy_id = $1", [await deployOf("d1")]);
  await tidy();
  expect(await deployOf("d1")).toBeDefined();
  await query("update deploy_steps set undone_at = now() where deploy_id = $1", [await deployOf("d1")]);
  expect(await deleteDeploysBeyondKept(http.database.db)).toBe(1);
});

test("the audit log keeps a year, and of each owner the newest entries", async () => {
  const bob = await http.addCaller();
  const add = (owner: string | null, entries: number, at: string) =>
    query(
      `insert into audit_log (at, actor, action, target, owner_id) select ${at}, 'system', 'test', 'app:' || n, $1
       from generate_series(1, $2::integer) n`,
      [owner, entries],
    );
  const countOf = async (owner: string) =>
    (await one("select count(*)::integer as count from audit_log where owner_id = $1", [owner]))["count"];
  await add(bob.userId, 5, "now() - interval '366 days'");
  await add(bob.userId, AUDIT_BOUNDS.owner + 7, "now()");
  const before = await countOf(ada.userId);
  let removed = 0;
  for (let rows = -1; rows !== 0; removed += rows) rows = await deleteOldAudit(http.database.db, 4);
  expect(removed).toBe(12);
  expect([await countOf(bob.userId), await countOf(ada.userId)]).toEqual([AUDIT_BOUNDS.owner, before]);
});

test("a purge of an app with a great log is answered at once, and what it leaves goes batch by batch, after a crash too", async () => {
  await addDeploys(100, { events: 3_000, logBytes: 1 });
  const beganAt = performance.now();
  expect((await ada.call("DELETE", `/api/apps/${name}?purge=1`)).status).toBeLessThan(300);
  const tookMs = performance.now() - beganAt;
  expect(tookMs).toBeLessThan(1_000);
  expect((await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/a.git" })).status).toBe(201);
  expect((await ada.call("GET", `/api/apps/${name}/deploys`)).json).toEqual({ deploys: [] });
  const left = async () => one("select (select count(*)::integer from deploys where app_id is null) as deploys");
  expect(await left()).toEqual({ deploys: 100 });
  // As by a process that died after its first batch, and by two at once.
  expect(await deletePurgedDeploys(http.database.db, 1_000)).toBe(1_000);
  await Promise.all([tidy(), tidy()]);
  await tidy();
  expect(await left()).toEqual({ deploys: 0 });
  expect(
    await one(
      "select count(*)::integer as count from deploy_events e left join deploys d on d.id = e.deploy_id where d.app_id is null",
    ),
  ).toEqual({ count: 0 });
});

test("two processes that tidy up at once pass over one another's rows", async () => {
  await addDeploys(2, { events: 10, logBytes: 1, ended: "now() - interval '15 days'" });
  const { db } = http.database;
  await db.transaction().execute(async (tx) => {
    expect(await deleteOldDeployEvents(tx, 100)).toBe(22);
    expect(await deleteOldDeployEvents(db, 100)).toBe(0);
  });
});
