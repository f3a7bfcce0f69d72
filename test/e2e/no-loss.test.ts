import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { nameServerInfoFile, readNameServerInfo } from "@svc/agent/edge/name-server/name-server-files.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startLoadedPlatform, type LoadedPlatform } from "../support/load/platform-load.ts";
import type { MixedLoad, MixedLoadResult } from "../support/load/mixed-load.ts";

/** The rate that two cores hold besides builds and daemons. */
const PER_SECOND = 150;
const SLOW_EVERY_MS = 500;

let loaded: LoadedPlatform;
let loadedBefore: number;

beforeAll(async () => {
  loaded = await startLoadedPlatform();
  await loaded.setup.createApp("other", nodeApp());
  expect((await loaded.setup.platform.deploy("other")).deploy.status).toBe("success");
});
beforeEach(() => {
  loadedBefore = configurationsLoaded();
});
afterAll(() => loaded?.setup.stop());

/** How often the agents so far gave the running proxy another configuration. */
function configurationsLoaded(): number {
  return readFileSync(loaded.setup.platform.agent.log, "utf8").split("loaded a new configuration").length - 1;
}

/** Everything was answered, by the releases that are named and no others, and no stream of the other app noticed. */
function expectNothingLost({ phases, steady }: MixedLoadResult, phase: string, releases: string[]): void {
  const result = phases[phase]!;
  // A changed configuration closes the WebSockets of every app.
  expect(configurationsLoaded()).toBe(loadedBefore);
  expect(result.lost).toEqual({});
  expect(result.answered).toBe(result.sent);
  // HTTP/1.1 and HTTP/2, each kept and fresh, each with and without a body, and the slow ones.
  expect(Object.keys(result.kinds)).toHaveLength(12);
  expect(result.releases.toSorted()).toEqual(releases);
  expect(steady.broken).toEqual([]);
  expect(steady.events).toBeGreaterThan(100);
  expect(steady.echoes).toBeGreaterThan(50);
}

/** Ends the load once every kind of request was sent. */
async function endOf(load: MixedLoad): Promise<MixedLoadResult> {
  await eventually(load.sent, (sent) => sent > 4 * PER_SECOND, { what: "the load goes on", deadlineMs: 20_000 });
  return load.stop();
}

async function stopAndStart(app: string): Promise<void> {
  const { platform } = loaded.setup;
  const act = (action: string) => platform.api("POST", `/api/apps/${app}/action`, { action });
  expect((await act("stop")).status).toBe(200);
  expect((await platform.fetchApp(app)).status).toBe(503);
  expect((await act("start")).status).toBe(200);
  expect((await platform.fetchApp(app)).status).toBe(200);
}

it("no request is lost in deploys, a failed deploy, a rollback, or another app's stop and start", async () => {
  const { platform } = loaded.setup;
  const load = await loaded.startLoad(PER_SECOND, SLOW_EVERY_MS);
  load.phase("changing");
  await loaded.redeploy();
  await loaded.failedDeploy();
  await loaded.redeploy();
  await loaded.rollback();
  await stopAndStart("other");
  expectNothingLost(await endOf(load), "changing", ["v1", "v2", "v4"]);
  expect((await platform.fetchApp("busy")).body).toMatch(/^v2 /);
});

it("no request is lost when the agent is restarted, killed, or upgraded with its name server", async () => {
  const { agentDataDir } = loaded.setup.platform;
  const load = await loaded.startLoad(PER_SECOND, SLOW_EVERY_MS);
  load.phase("restarting");
  await loaded.restartAgent("SIGTERM");
  await loaded.restartAgent("SIGKILL");
  // As the agent of another version finds it.
  const file = nameServerInfoFile(agentDataDir);
  const former = readNameServerInfo(agentDataDir)!;
  writeFileSync(`${file}.other`, readFileSync(file, "utf8").replace(/"version":[0-9]+/, '"version":999'));
  renameSync(`${file}.other`, file);
  await loaded.restartAgent("SIGTERM");
  await eventually(
    () => readNameServerInfo(agentDataDir),
    (info) => info !== undefined && info.pid !== former.pid && info.version === former.version,
    { what: "the name server is replaced" },
  );
  expectNothingLost(await endOf(load), "restarting", ["v2"]);
});

it("apps are served, certificates included, while neither the agent nor the control plane runs", async () => {
  const { platform } = loaded.setup;
  const load = await loaded.startLoad(PER_SECOND, SLOW_EVERY_MS);
  load.phase("alone");
  await Promise.all([platform.agent.stop(), platform.controlPlane.stop("SIGKILL")]);
  await eventually(load.sent, (sent) => sent > 4 * PER_SECOND, { what: "the load goes on", deadlineMs: 20_000 });
  // A fresh handshake, verified.
  expect((await platform.fetchApp("steady")).status).toBe(200);
  expectNothingLost(await load.stop(), "alone", ["v2"]);
  await platform.controlPlane.start();
  await platform.agent.start();
});
