import { labelFilter, LABEL_APP_NAME, LABEL_ROLE } from "@svc/shared/rules/labels.ts";
import Docker from "dockerode";
import { afterAll, beforeAll, expect, it } from "vitest";
import { program } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

/** The time after a killed process is back until the API tells the truth. */
const WELL_MS_MAX = 10_000;

/** Takes seconds to end, and to listen when it is started again: time to kill somebody. */
const SLOW = program(`
const { existsSync, writeFileSync } = require("node:fs");
const isAgain = existsSync("/tmp/started");
writeFileSync("/tmp/started", "");
const server = require("node:http").createServer((req, res) => res.end("hello"));
setTimeout(() => server.listen(process.env.PORT), isAgain ? 3_000 : 0);
process.on("SIGTERM", () => setTimeout(() => process.exit(0), 3_000));
`);

const docker = new Docker();
let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  await setup.createApp("slow", SLOW);
  expect((await setup.platform.deploy("slow")).deploy.status).toBe("success");
});
afterAll(() => setup?.stop());

interface Seen {
  visited: number;
  told: string;
  isUp: boolean;
}

const [SERVED, STOPPED]: Seen[] = [
  { visited: 200, told: "running", isUp: true },
  { visited: 503, told: "stopped", isUp: false },
];

async function look(): Promise<Seen> {
  const { platform } = setup;
  const filters = labelFilter({ [LABEL_APP_NAME]: "slow", [LABEL_ROLE]: "app" });
  const [visited, { body }, [container]] = await Promise.all([
    platform.fetchApp("slow").then(({ status }) => status),
    platform.api("GET", "/api/apps"),
    docker.listContainers({ all: true, filters }),
  ]);
  const [app] = (body as { apps: { status: string }[] }).apps;
  return { visited, told: app!.status, isUp: container!.State === "running" };
}

const settled = (wanted: Seen | undefined, deadlineMs: number): Promise<Seen> =>
  eventually(look, (seen) => JSON.stringify(seen) === JSON.stringify(wanted), {
    what: `the app is seen as ${JSON.stringify(wanted)}`,
    deadlineMs,
    isPromised: true,
  });

const act = (action: string): Promise<unknown> =>
  setup.platform.api("POST", "/api/apps/slow/action", { action }).catch(() => undefined);

/** Until the action is under way: of a stop the routes say so first, of a start the container runs first. */
const begun = (action: string): Promise<Seen> =>
  eventually(look, ({ visited, isUp }) => visited === 503 && isUp, {
    what: `the ${action} is under way`,
    intervalMs: 50,
  });

it.each([
  { killed: ["agent"], action: "stop", end: STOPPED },
  { killed: ["controlPlane"], action: "stop", end: STOPPED },
  { killed: ["agent", "controlPlane"], action: "stop", end: STOPPED },
  // The caller was told that it failed; what has begun is undone.
  { killed: ["agent"], action: "start", end: STOPPED },
  { killed: ["controlPlane"], action: "start", end: SERVED },
] as const)(
  "$action of an app, with the $killed killed in the middle: what is told is what is",
  async ({ killed, action, end }) => {
    await act(action === "stop" ? "start" : "stop");
    await settled(action === "stop" ? SERVED : STOPPED, 20_000);
    const asked = act(action);
    await begun(action);
    for (const daemon of killed) await setup.platform[daemon].stop("SIGKILL");
    for (const daemon of killed.toReversed()) await setup.platform[daemon].start();
    await settled(end, WELL_MS_MAX);
    await asked;
    expect(await look()).toEqual(end);
  },
);
