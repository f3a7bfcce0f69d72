import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeApp, program } from "../support/apps.ts";
import { eventually } from "../support/eventually.ts";
import type { Files } from "../support/git-host.ts";
import type { Platform } from "../support/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";
import { makeSvcUser, type SvcUser } from "../support/svc.ts";

/** Releases that fail soon after they went live: what visitors, the API, svc and webhooks tell is a table in deploy/README.md. */
const run = promisify(execFile);
const SECRET = "correct-horse-battery";

interface TakenBack {
  reason: string;
  detail: string;
  exit_code: number | null;
  last_lines: string[];
  release: string;
  deploy_id: string;
}

let setup: PlatformWithGit;
let platform: Platform;
let user: SvcUser;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
  user = await makeSvcUser({ SVC_URL: platform.baseUrl, SVC_API_KEY: platform.key });
});
afterAll(async () => {
  await setup?.stop();
  await user?.remove();
});

/** Answers `two`, and does something `ms` after it listens. */
const failing = (ms: number, what: string, answer = 'res.end("two")'): Files =>
  program(`const sockets = new Set();
const server = require("node:http").createServer((req, res) => { ${answer} });
server.on("connection", (socket) => sockets.add(socket));
server.listen(process.env.PORT, "0.0.0.0", () => setTimeout(() => { ${what} }, ${ms}));`);
const exiting = (ms: number) => failing(ms, 'console.error("no table " + process.env.TOKEN); process.exit(3)');

/** The app with a release that serves, and the next one on its way. @returns the id of that deploy, which went live */
async function goLive(app: string, next: Files): Promise<{ first: string; second: string }> {
  const commit = await prepare(app);
  const first = await deployed(app);
  await commit(next);
  return { first, second: await deployed(app) };
}

async function prepare(app: string): Promise<(files: Files) => Promise<unknown>> {
  const repository = await setup.createApp(app, nodeApp('return "one"'));
  await platform.api("PUT", `/api/apps/${app}/env`, { env: { TOKEN: SECRET } });
  return (files) => repository.commit(files);
}

async function deployed(app: string): Promise<string> {
  const { deploy } = await platform.deploy(app);
  expect(deploy.error).toBeUndefined();
  expect(deploy.status).toBe("success");
  return deploy.id;
}

const deployOf = async (id: string) =>
  ((await platform.api("GET", `/api/deploys/${id}`)).body as { deploy: { status: string; taken_back?: TakenBack } })
    .deploy;
const takenBack = async (id: string, deadlineMs = 60_000) =>
  (await eventually(
    async () => (await deployOf(id)).taken_back,
    (taken) => taken !== undefined,
    { what: "the deploy is taken back", deadlineMs },
  ))!;
const appOf = async (name: string) => {
  const { apps } = (await platform.api("GET", "/api/apps")).body as {
    apps: { name: string; status: string; current_release: string }[];
  };
  return apps.find((app) => app.name === name)!;
};
const containersOf = async (deployId: string) => {
  const format = "{{.State}}";
  const { stdout } = await run("docker", ["ps", "-a", "--filter", `label=svc.deploy=${deployId}`, "--format", format]);
  return stdout.trim();
};

/** Asks for the app all the time, until it is ended. @returns the different answers, in their order */
function visit(app: string): () => Promise<string[]> {
  const seen: string[] = [];
  let isOver = false;
  const visiting = (async () => {
    while (!isOver) {
      const answer = await platform.fetchApp(app).then(
        ({ status, body }) => `${status} ${body.slice(0, 20)}`,
        (error: Error) => `no answer: ${error.message}`,
      );
      if (seen.at(-1) !== answer) seen.push(answer);
    }
  })();
  return async () => {
    isOver = true;
    await visiting;
    return seen;
  };
}

test("an app that exits 1.5 s after it listens: visitors, the API, events, webhooks and svc all tell of the release before", async () => {
  const commit = await prepare("quick");
  const first = await deployed("quick");
  // Nobody listens there: what is sent is in the list of deliveries.
  const { body: webhook } = await platform.api("POST", "/api/apps/quick/webhooks", { url: "https://127.0.0.1:1/" });
  await commit(exiting(1_500));
  const endVisit = visit("quick");
  const outcome = await user.svc(["deploy", "--app", "quick"]);
  expect(outcome.status).toBe(1);
  expect(outcome.stderr).toContain("it ended with exit code 3");
  expect(outcome.stderr).toContain("no table [REDACTED]");
  expect(outcome.stdout).toContain("Taken back. v1 serves again");
  expect(outcome.stdout).not.toContain("Live as");
  const seen = await endVisit();
  // A request that the app has when it ends is lost with it: it may have had an effect, so nobody repeats it.
  expect(seen.filter((answer) => !["200 one", "200 two", "502 "].includes(answer))).toEqual([]);
  expect(seen.filter((answer) => answer === "502 ").length).toBeLessThanOrEqual(1);
  expect((await platform.fetchApp("quick")).body).toBe("one");

  expect(await appOf("quick")).toMatchObject({ status: "running", current_release: "v1" });
  const { deploys } = (await platform.api("GET", "/api/apps/quick/deploys")).body as {
    deploys: { id: string; status: string; taken_back?: TakenBack }[];
  };
  const [second] = deploys;
  expect(second).toMatchObject({
    status: "success",
    taken_back: { reason: "exited", exit_code: 3, release: "v1", deploy_id: first },
  });
  expect(second!.taken_back!.last_lines).toContain("no table [REDACTED]");
  const path = `/api/apps/quick/webhooks/${(webhook as { id: string }).id}/deliveries`;
  expect((await platform.api("GET", path)).body).toMatchObject({
    deliveries: [
      { event: "deploy.rolled_back", deploy_id: first },
      { event: "deploy.succeeded", deploy_id: second!.id },
    ],
  });
  expect((await user.svc(["status", "--app", "quick"])).stdout).toMatch(
    /quick: running, v1, healthy\n[^]*was taken back soon/,
  );
  const { body: log } = await platform.api("GET", "/api/apps/quick/logs");
  expect((log as { logs: string }).logs).toContain("[platform] The release was taken back soon");
  // Its container is kept for its log, and does not run.
  await eventually(
    () => containersOf(second!.id),
    (state) => state === "exited",
    { what: "the container is stopped" },
  );
});

test("apps that exit 20 s and 40 s after they listen: the first is taken back, the second is past its probation", async () => {
  const { second: late } = await goLive("late", exiting(20_000));
  const { first, second: old } = await goLive("old", exiting(40_000));
  expect(await containersOf(first)).toBe("running");
  expect(await takenBack(late)).toMatchObject({ reason: "exited", exit_code: 3 });
  expect((await platform.fetchApp("late")).body).toBe("one");
  await eventually(
    () => containersOf(first),
    (state) => state === "",
    {
      what: "the container that served before is removed",
      deadlineMs: 60_000,
    },
  );
  const restarts = async () => {
    const { stdout: id } = await run("docker", ["ps", "-aq", "--filter", `label=svc.deploy=${old}`]);
    return Number((await run("docker", ["inspect", "--format", "{{.RestartCount}}", id.trim()])).stdout);
  };
  await eventually(restarts, (count) => count > 0, { what: "the app has exited", deadlineMs: 60_000 });
  expect(await deployOf(old)).not.toHaveProperty("taken_back");
  expect(await appOf("old")).toMatchObject({ status: "running", current_release: "v2" });
});

test("an app that is killed for its memory is taken back for that", async () => {
  const { second } = await goLive(
    "greedy",
    failing(1_000, "const all = []; setInterval(() => all.push(Buffer.alloc(64 << 20, 1)), 20)"),
  );
  const taken = await takenBack(second);
  expect(taken).toMatchObject({ reason: "out_of_memory", exit_code: 137, release: "v1" });
  expect(taken.detail).toMatch(/used more than its \d+ MiB of memory/);
  expect((await platform.fetchApp("greedy")).body).toBe("one");
});

test("an app that resets every connection is taken back, one that answers 502 itself is not", async () => {
  const commit = await prepare("wrong");
  await deployed("wrong");
  await commit(failing(0, "", 'res.writeHead(502); res.end("mine")'));
  const wrong = await deployed("wrong");
  const { second: mute } = await goLive(
    "mute",
    failing(
      500,
      'for (const each of sockets) each.destroy(); server.on("connection", (socket) => socket.resetAndDestroy())',
    ),
  );
  expect(await takenBack(mute)).toMatchObject({ reason: "not_answering", exit_code: null });
  expect((await platform.fetchApp("mute")).body).toBe("one");
  await eventually(
    () => containersOf(mute),
    (state) => state === "exited",
    { what: "the container is stopped" },
  );
  expect(await platform.fetchApp("wrong")).toMatchObject({ status: 502, body: "mine" });
  expect(await deployOf(wrong)).not.toHaveProperty("taken_back");
});

test("a control plane that is killed meanwhile hears of it when it is back, once", async () => {
  const { second } = await goLive("unheard", exiting(3_000));
  await platform.controlPlane.stop("SIGKILL");
  await eventually(
    async () => (await platform.fetchApp("unheard")).body,
    (body) => body === "one",
    {
      what: "the release before serves",
      deadlineMs: 30_000,
    },
  );
  await platform.controlPlane.start();
  expect(await takenBack(second)).toMatchObject({ reason: "exited", exit_code: 3 });
  expect(await appOf("unheard")).toMatchObject({ status: "running", current_release: "v1" });
  const { rows } = await platform.database.query(
    `select 1 from deploys d join apps a on a.id = d.app_id where a.name = 'unheard' and d.kind = 'rollback'`,
  );
  expect(rows).toHaveLength(1);
});

test("an agent that is killed meanwhile takes back what has ended when it is back", async () => {
  const { second } = await goLive("orphan", exiting(4_000));
  await platform.agent.stop("SIGKILL");
  const { stdout: id } = await run("docker", ["ps", "-aq", "--filter", `label=svc.deploy=${second}`]);
  const restarts = async () =>
    Number((await run("docker", ["inspect", "--format", "{{.RestartCount}}", id.trim()])).stdout);
  await eventually(restarts, (count) => count > 0, { what: "the app has exited", deadlineMs: 30_000 });
  await platform.agent.start();
  expect(await takenBack(second)).toMatchObject({ reason: "exited", exit_code: 3 });
  expect((await platform.fetchApp("orphan")).body).toBe("one");
});

test("an app that a person stops or deploys anew within its probation is not taken back", async () => {
  const commit = await prepare("decided");
  const first = await deployed("decided");
  await commit(failing(0, ""));
  const second = await deployed("decided");
  expect((await platform.api("POST", "/api/apps/decided/action", { action: "stop" })).status).toBe(200);
  await eventually(
    () => containersOf(first),
    (state) => state === "",
    { what: "the container before it is removed" },
  );
  expect((await platform.fetchApp("decided")).status).toBe(503);
  expect((await platform.api("POST", "/api/apps/decided/action", { action: "start" })).status).toBe(200);
  expect((await platform.fetchApp("decided")).body).toBe("two");
  await commit(nodeApp('return "three"'));
  const third = await deployed("decided");
  await commit(nodeApp('return "four"'));
  await deployed("decided");
  // Two containers of an app at most.
  expect(await containersOf(second)).toBe("");
  expect(await containersOf(third)).toBe("running");
  expect((await platform.api("POST", "/api/apps/decided/rollback")).status).toBe(200);
  expect((await platform.fetchApp("decided")).body).toBe("three");
  expect((await platform.api("DELETE", "/api/apps/decided")).status).toBe(204);
  for (const id of [second, third]) expect(await deployOf(id)).not.toHaveProperty("taken_back");
});
