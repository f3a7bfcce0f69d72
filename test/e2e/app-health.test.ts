import { afterAll, beforeAll, expect, test } from "vitest";
import { program } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

/** Promised: what has happened to an app is in the API within this time. */
const SHOWN_MS_MAX = 10_000;

/** From /loop on it ends six times soon after each start, and then stays; /fill takes memory without end; /close closes its port. */
const FRAGILE = {
  ...program(`
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const left = existsSync("/tmp/left") ? Number(readFileSync("/tmp/left", "utf8")) : 0;
if (left > 0) {
  writeFileSync("/tmp/left", String(left - 1));
  setTimeout(() => process.exit(7), 300);
}
const act = {
  "/loop": () => { writeFileSync("/tmp/left", "5"); process.exit(7); },
  "/fill": () => { for (const all = []; ; ) all.push(Buffer.alloc(1 << 20, 1)); },
  "/close": () => { server.close(); server.closeAllConnections(); setTimeout(() => server.listen(process.env.PORT), 15_000); },
};
const server = require("node:http").createServer((req, res) => {
  res.end("hello");
  if (act[req.url]) setTimeout(act[req.url], 100);
}).listen(process.env.PORT);
`),
  // Filled within a second or two.
  "svc.yaml": "# spec: svc/v1\nname: fragile\nresources: {memory: 128m}\n",
};

interface Shown {
  state: string;
  reason: string | null;
  since: string | null;
}

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  await setup.createApp("fragile", FRAGILE);
  expect((await setup.platform.deploy("fragile")).deploy.status).toBe("success");
  await shown({ state: "healthy", reason: null });
});
afterAll(() => setup?.stop());

async function health(): Promise<Shown & { status: string }> {
  const { body } = await setup.platform.api("GET", "/api/apps");
  const [app] = (body as { apps: { status: string; health: Shown }[] }).apps;
  return { ...app!.health, status: app!.status };
}

const shown = ({ state, reason }: Omit<Shown, "since">, deadlineMs = SHOWN_MS_MAX) =>
  eventually(health, (seen) => seen.state === state && seen.reason === reason, {
    what: `the app is ${state}${reason === null ? "" : ` for ${reason}`}`,
    deadlineMs,
    isPromised: true,
  });

/** Reads the reported changes of the app, oldest first. */
async function changes(): Promise<string[]> {
  const { rows } = await setup.platform.database.query(
    "select action from audit_log where action in ('app.unhealthy', 'app.recovered') order by id",
  );
  return rows.map((row) => String((row as { action: string }).action));
}

async function logText(): Promise<string> {
  const { body } = await setup.platform.api("GET", "/api/apps/fragile/logs");
  return (body as { logs: string }).logs;
}

test.each([
  ["/loop", "crash_loop", "The app ended with exit code 7 and is started again (restart 2)."],
  ["/fill", "out_of_memory", "The app ended with exit code 137 and is started again ("],
  ["/close", "not_listening", "The app is unhealthy: it runs, and its port accepts no connection."],
])(
  "after %s the API says %s within 10 s, the log says what happened, and its recovery is told",
  async (path, reason, line) => {
    await setup.platform.fetchApp("fragile", path);
    expect(await shown({ state: "unhealthy", reason })).toMatchObject({ status: "running" });
    expect(await logText()).toContain(`[platform] ${line}`);
    await shown({ state: "healthy", reason: null }, 90_000);
    expect(await logText()).toContain("[platform] The app serves again.");
    await eventually(changes, (told) => told.at(-1) === "app.recovered", {
      what: "its recovery is told",
      deadlineMs: 20_000,
    });
  },
);

test("an owner's restart of an app is not a change of its health", async () => {
  const before = (await changes()).length;
  expect(before).toBe(6);
  await setup.platform.api("POST", "/api/apps/fragile/action", { action: "restart" });
  expect(await health()).toMatchObject({ state: "healthy" });
  expect(await changes()).toHaveLength(before);
});

test("while the agent is away the API says so, and its return brings back how the app is", async () => {
  await setup.platform.agent.stop("SIGKILL");
  const { since } = await shown({ state: "unknown", reason: "server_away" });
  expect(Date.parse(since!)).toBeLessThan(Date.now());
  await setup.platform.agent.start();
  await shown({ state: "healthy", reason: null }, 30_000);
});
