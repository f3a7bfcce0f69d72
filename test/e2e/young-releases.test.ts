import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/tools/eventually.ts";
import type { Files } from "../support/doubles/git-host.ts";
import { makeSvcUser, type SvcOutcome, type SvcUser } from "../support/svc/svc.ts";
import {
  containerStateOf,
  exiting,
  failing,
  restartsOf,
  startYoungReleases,
  type ShownDeploy,
  type TakenBack,
  type YoungReleases,
} from "../support/platform/young-releases.ts";

/**
 * Releases that fail soon after they went live: each row of the table in deploy/README.md is a test, and each of its cells is
 * asserted.
 */
let world: YoungReleases;
let user: SvcUser;
/** The long deploys, on their way from the first test on. */
let late: Row;
let old: Row;

interface Row {
  app: string;
  first: string;
  second: string;
  /** The outcome of `svc deploy`. */
  outcome: SvcOutcome;
  /** Ends the visit and returns what the visitor saw since before the deploy. */
  endVisit: () => Promise<string[]>;
  webhookId: string;
}

beforeAll(async () => {
  world = await startYoungReleases();
  user = await makeSvcUser({ SVC_URL: world.platform.baseUrl, SVC_API_KEY: world.platform.key });
  old = await begin("old", exiting(40_000));
  late = await begin("late", exiting(20_000));
});
afterAll(async () => {
  await world?.stop();
  await user?.remove();
});

async function begin(app: string, next: Files): Promise<Row> {
  const { platform } = world;
  const commit = await world.prepare(app);
  const first = await world.deployed(app);
  // Nobody listens there: what is sent is in the list of deliveries.
  const { body: webhook } = await platform.api("POST", `/api/apps/${app}/webhooks`, { url: "https://127.0.0.1:1/" });
  await commit(next);
  const endVisit = world.visit(app);
  const outcome = await user.svc(["deploy", "--app", app]);
  const { deploys } = (await platform.api("GET", `/api/apps/${app}/deploys`)).body as { deploys: ShownDeploy[] };
  return { app, first, second: deploys[0]!.id, outcome, endVisit, webhookId: (webhook as { id: string }).id };
}

async function logsOf(app: string): Promise<string> {
  const { body } = await world.platform.api("GET", `/api/apps/${app}/logs`);
  return (body as { logs: string }).logs;
}

/** Newest first. */
async function deliveriesOf({ app, webhookId }: Row): Promise<object[]> {
  const { body } = await world.platform.api("GET", `/api/apps/${app}/webhooks/${webhookId}/deliveries`);
  return (body as { deliveries: { event: string; deploy_id: string }[] }).deliveries.map(({ event, deploy_id }) => ({
    event,
    deploy_id,
  }));
}

async function expectTakenBack(row: Row, wanted: Partial<TakenBack>): Promise<TakenBack> {
  const { app, first, second } = row;
  const taken = await world.takenBack(second);
  expect(taken).toMatchObject({ ...wanted, release: "v1", deploy_id: first });
  expect(await world.deployOf(second)).toMatchObject({ status: "success" });
  expect(await world.appOf(app)).toMatchObject({ status: "running", current_release: "v1" });
  expect((await world.platform.fetchApp(app)).body).toBe("one");
  const readStatus = async () => (await user.svc(["status", "--app", app])).stdout;
  // Its health is what its server's agent has told last.
  const isHealthy = (text: string): boolean => text.includes(`${app}: running, v1, healthy`);
  const status = await eventually(readStatus, isHealthy, { what: "the former release is healthy" });
  expect(status).toContain("was taken back soon");
  expect(await logsOf(app)).toContain("[platform] The release was taken back soon");
  expect(await deliveriesOf(row)).toEqual([
    { event: "deploy.rolled_back", deploy_id: first },
    { event: "deploy.succeeded", deploy_id: second },
  ]);
  // Its container is kept for its log, and does not run.
  const state = () => containerStateOf(second);
  await eventually(state, (seen) => seen === "exited", { what: "the container is stopped" });
  return taken;
}

async function expectKept(row: Row): Promise<void> {
  expect(await world.deployOf(row.second)).not.toHaveProperty("taken_back");
  expect(await world.appOf(row.app)).toMatchObject({ status: "running", current_release: "v2" });
  expect(await deliveriesOf(row)).toEqual([{ event: "deploy.succeeded", deploy_id: row.second }]);
}

/** A request that the app has when it ends is lost with it: it may have had an effect, so nobody repeats it. */
async function expectVisited({ endVisit }: Row, others: readonly string[]): Promise<void> {
  const seen = await endVisit();
  expect(seen[0]).toBe("200 one");
  expect(seen.filter((answer) => !["200 one", "200 two", ...others].includes(answer))).toEqual([]);
}

function expectLive({ outcome }: Row): void {
  expect(outcome).toMatchObject({ status: 0 });
  expect(outcome.stdout).toContain("Live as v2");
}

function expectTold({ outcome }: Row, reason: string): void {
  expect(outcome.status).toBe(1);
  expect(outcome.stderr).toContain(reason);
  expect(outcome.stdout).toContain("Taken back. v1 serves again");
  expect(outcome.stdout).not.toContain("Live as");
}

/** It is taken back some 5 s after it went live, for which svc looks at it: what of both ends first is chance. */
function expectLiveOrTold(row: Row, reason: string): void {
  if (row.outcome.status === 0) expectLive(row);
  else expectTold(row, reason);
}

test("a release that exits 1.5 s after its first request", async () => {
  const row = await begin("quick", exiting(1_500));
  expectTold(row, "it ended with exit code 3");
  expect(row.outcome.stderr).toContain("no table [REDACTED]");
  const { last_lines: lines } = await expectTakenBack(row, { reason: "exited", exit_code: 3 });
  expect(lines).toContain("no table [REDACTED]");
  await expectVisited(row, ["502 "]);
});

test("a release that is killed for its memory", async () => {
  const fill = "for (const all = []; ; ) all.push(Buffer.alloc(64 << 20, 1))";
  // Little of it, filled at once: svc watches for five seconds, and a slow machine needs two for 200 MiB.
  const small = { "svc.yaml": "# spec: svc/v1\nname: greedy\nresources: {memory: 128m}\n" };
  const row = await begin("greedy", { ...failing(200, fill), ...small });
  expectTold(row, "MiB of memory");
  const { detail } = await expectTakenBack(row, { reason: "out_of_memory", exit_code: 137 });
  expect(detail).toMatch(/used more than its \d+ MiB of memory/);
  await expectVisited(row, ["502 "]);
});

test("a release that breaks off each request is taken back, and its owner is told", async () => {
  const reset =
    'for (const each of sockets) each.destroy(); server.on("connection", (socket) => socket.resetAndDestroy())';
  const row = await begin("mute", failing(500, reset));
  expectLiveOrTold(row, "it gave requests no answer");
  await expectTakenBack(row, { reason: "not_answering", exit_code: null });
  await expectVisited(row, ["502 ", "no answer"]);
});

test("a release that answers 502 only stays live", async () => {
  const row = await begin("wrong", failing(0, "", 'res.writeHead(502); res.end("mine")'));
  expectLive(row);
  // For longer than a release may break off its requests.
  const waited = await begin("waiting", failing(0, ""));
  expectLive(waited);
  await waited.endVisit();
  expect(await world.platform.fetchApp("wrong")).toMatchObject({ status: 502, body: "mine" });
  await expectKept(row);
  await expectVisited(row, ["502 mine"]);
  expect((await user.svc(["status", "--app", "wrong"])).stdout).toContain("wrong: running, v2, healthy");
});

test("a release that exits 20 s after its first request", async () => {
  expectLive(late);
  await expectTakenBack(late, { reason: "exited", exit_code: 3 });
  await expectVisited(late, ["502 "]);
});

test("a release that exits 40 s after its first request", async () => {
  expectLive(old);
  const restarts = () => restartsOf(old.second);
  await eventually(restarts, (count) => count > 0, { what: "the app has exited", deadlineMs: 60_000 });
  await expectKept(old);
  await eventually(
    () => logsOf("old"),
    (text) => text.includes("no table [REDACTED]") && text.includes("[platform] The app ended with exit code 3"),
    { what: "its log tells of its end" },
  );
  expect(await containerStateOf(old.first)).toBe("");
  expect((await world.platform.fetchApp("old")).body).toBe("two");
  const seen = await old.endVisit();
  expect(seen.filter((answer) => !/^(200 one|200 two|502 |503 )/.test(answer))).toEqual([]);
  expect(seen.at(-1)).toBe("200 two");
});

test("a first release that ends within 5 s is no success to svc: it says so, with its last lines", async () => {
  const commit = await world.prepare("first");
  await commit(exiting(1_500));
  const { status, stderr, stdout } = await user.svc(["deploy", "--app", "first"]);
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Error: The app ended soon after it went live, and is started again\.\n/),
  });
  expect(stderr).toContain("no table [REDACTED]");
  expect(stdout).toContain("Unhealthy. v1 is live whenever the app runs");
  expect(stdout).not.toContain("Live as");
});
