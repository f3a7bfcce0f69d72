import { AppNotices } from "@svc/agent/engine/logs/app-notices.ts";
import { watchContainers } from "@svc/agent/bounds/watch-containers.ts";
import { healthNotice } from "@svc/agent/engine/logs/app-notice.ts";
import { createDummyHost } from "@svc/agent/dummy/host.ts";
import { createDummyProxy } from "@svc/agent/dummy/proxy.ts";
import { AppHealth } from "@svc/agent/host/app-health.ts";
import { Changes } from "@svc/agent/platform/changes.ts";
import { StatusCollector } from "@svc/agent/host/collector.ts";
import { LastErrors } from "@svc/agent/host/last-errors.ts";
import { UpstreamStates } from "@svc/agent/edge/upstream-states.ts";
import { watchStatus } from "@svc/agent/host/watch.ts";
import { watchUpstreams } from "@svc/agent/edge/watch-upstreams.ts";
import { systemClock as clock } from "@svc/shared/platform/clock.ts";
import { Health, UnhealthyReason, type RunningApp } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { createTestEngine, newApp, nodeContainer } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";

/** Agent and control plane together may take 10 s; the control plane's part is one transaction. */
const SHOWN_MS_MAX = 9_000;
/** An app that does something when it is asked for /go. */
const onGo = (what = ""): string =>
  `const go = () => { ${what} };
   const server = require("http").createServer((req, res) => { res.end(); if (req.url === "/go") setImmediate(go); });
   server.listen(3000);`;

const testEngine = createTestEngine();
const { engine } = testEngine;
const notices = new AppNotices();
let stop: AbortController;
let work: Promise<unknown>;
/** The app as the newest status has it. */
let newest: RunningApp | undefined;
let proxy: ReturnType<typeof createDummyProxy>;

afterAll(() => testEngine.cleanUp());

/** The parts of an agent that look at apps, on the real engine. */
beforeEach(() => {
  stop = new AbortController();
  newest = undefined;
  proxy = createDummyProxy();
  const { signal } = stop;
  const changes = new Changes();
  const lastErrors = new LastErrors(clock, () => changes.notify());
  const upstreams = new UpstreamStates(clock, () => changes.notify());
  const health = new AppHealth(clock, (app, reason, time) =>
    notices.add({ ...app, kind: "health", time, text: healthNotice(reason) }),
  );
  const onEnd: Parameters<typeof watchContainers>[0]["onEnd"] = (container, forMemory) => {
    health.ended(container, forMemory);
    changes.notify();
  };
  const collector = new StatusCollector({
    version: "1",
    engine,
    proxy,
    host: createDummyHost(),
    dataDirectory: "/",
    clock,
    lastErrors,
    health,
    upstreams,
    heldLocks: () => [],
    runningStep: () => undefined,
  });
  const watch = async (): Promise<void> => {
    for await (const { apps } of watchStatus(collector, changes, 300_000, signal)) newest = apps[0];
  };
  const report = (): void => undefined;
  work = Promise.all([
    watch(),
    watchContainers({ engine, notices, onEnd, onEventsEnd: () => undefined, clock, log, report }, signal),
    watchUpstreams({ proxy, upstreams, clock, log }, signal),
  ]);
});
afterEach(async () => {
  stop.abort();
  await work;
  await testEngine.cleanUp();
});

/** An app that serves, as a deploy leaves it. */
async function serve(script: string) {
  const app = newApp();
  const { id, address } = await engine.run(nodeContainer(app, script));
  const upstream = `${address}:3000`;
  await eventually(
    () => new UpstreamStates(clock).ask(upstream),
    (failure) => failure === undefined,
    { what: "the app listens", deadlineMs: 20_000 },
  );
  await engine.keepRunning(id);
  await proxy.setRoutes(app.id, [{ host: "shop.test", appId: app.id, containerId: id, upstream, state: "serving" }]);
  await shown("it serves", ({ health }) => health === Health.SERVING);
  const go = (): Promise<unknown> => fetch(`http://${upstream}/go`).catch(() => undefined);
  return { appId: app.id, id, go };
}

async function shown(what: string, isWanted: (app: RunningApp) => boolean, deadlineMs = SHOWN_MS_MAX) {
  const isThere = (app: RunningApp | undefined): boolean => app !== undefined && isWanted(app);
  return (await eventually(() => newest, isThere, { what, deadlineMs, isPromised: true }))!;
}

const isUnhealthyFor = (wanted: UnhealthyReason) => (app: RunningApp) => app.reason === wanted;

const logOf = ({ appId, id: containerId }: { appId: string; id: string }): string[] =>
  notices.of({ appId, containerId }).map(({ text }) => text);

test("an app that ends again and again is in a crash loop within seconds, is started again after growing pauses, and its log counts them", async () => {
  const app = await serve(`${onGo()} setTimeout(() => process.exit(3), 2500)`);
  const starts: number[] = [];
  await shown("the crash loop", isUnhealthyFor(UnhealthyReason.CRASH_LOOP), 20_000);
  const { restartCount } = await eventually(
    async () => {
      const { State: state, RestartCount } = await testEngine.docker.getContainer(app.id).inspect();
      const ended = Date.parse(state.FinishedAt);
      const pause = Date.parse(state.StartedAt) - ended;
      if (pause > 0 && starts.at(-1) !== pause) starts.push(pause);
      return { restartCount: RestartCount };
    },
    // The pause has doubled six times by then, and is longer than what a slow start adds to it.
    ({ restartCount: count }) => count >= 7,
    { what: "seven restarts", deadlineMs: 40_000 },
  );
  expect(starts.length).toBeGreaterThanOrEqual(2);
  expect(starts.at(-1)!).toBeGreaterThan(starts[0]! * 1.5);
  expect(logOf(app)).toContain("The app ended with exit code 3 and is started again (restart 1).");
  expect(logOf(app)).toContain("The app ended with exit code 3 and is started again (restart 3).");
  expect(logOf(app)).toContain(healthNotice("crash_loop"));
  expect((await shown("the count", ({ restartCount: count }) => count >= restartCount)).health).toBe(
    Health.NOT_SERVING,
  );
});

test("an app that is killed for its memory once says so although the engine starts it again, and serves again after that", async () => {
  const app = await serve(onGo("for (const all = []; ; ) all.push(Buffer.alloc(1 << 20, 1))"));
  await app.go();
  await shown("the kill for memory", isUnhealthyFor(UnhealthyReason.OUT_OF_MEMORY));
  const ended = "The app ended with exit code 137 and is started again (restart 1).";
  await eventually(
    () => logOf(app),
    (lines) => lines.includes(ended),
    { what: "the end is in the log" },
  );
  await shown("it serves again", ({ health }) => health === Health.SERVING, 30_000);
  expect(logOf(app).at(-1)).toBe("The app serves again.");
});

test("an app that stops to listen says so within seconds, and so does its return", async () => {
  const app = await serve(onGo("server.close(); setTimeout(() => server.listen(3000), 12_000)"));
  await app.go();
  await shown("it does not listen", isUnhealthyFor(UnhealthyReason.NOT_LISTENING));
  expect(logOf(app)).toEqual([healthNotice("not_listening")]);
  await shown("it serves again", ({ health }) => health === Health.SERVING, 20_000);
});

test.each(["removed", "stopped"])("an app whose container somebody has %s is gone within seconds", async (how) => {
  const app = await serve(onGo());
  const container = testEngine.docker.getContainer(app.id);
  await (how === "removed" ? container.remove({ force: true }) : container.stop({ t: 0 }));
  const { state } = await shown("it is gone", isUnhealthyFor(UnhealthyReason.GONE));
  expect(state).toBe(how === "removed" ? "gone" : "exited");
});

test("an app that ends once and is back at once is never unhealthy", async () => {
  const app = await serve(onGo("process.exit(1)"));
  await app.go();
  await shown("the restart", ({ restartCount }) => restartCount === 1);
  await shown("it serves", ({ health }) => health === Health.SERVING);
  expect(logOf(app)).toEqual(["The app ended with exit code 1 and is started again (restart 1)."]);
});
