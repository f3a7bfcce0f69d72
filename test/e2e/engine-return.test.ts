import { createAppTurns } from "@svc/agent/apps/app-turns.ts";
import { AppNotices } from "@svc/agent/engine/logs/app-notices.ts";
import { watchContainers } from "@svc/agent/bounds/watch-containers.ts";
import { createDockerEngine, type HostEngine } from "@svc/agent/engine/engine.ts";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { parseCidr } from "@svc/agent/engine/network/address-block.ts";
import { createDummyProxy } from "@svc/agent/dummy/proxy.ts";
import { keepAppsRunning } from "@svc/agent/apps/keep-apps-running.ts";
import type { ContainerState } from "@svc/agent/ports.ts";
import { databaseContainer } from "@svc/agent/database/container.ts";
import { isPostgresReady } from "@svc/agent/database/is-ready.ts";
import { createReconciler } from "@svc/agent/apps/reconcile-apps.ts";
import { Changes } from "@svc/agent/platform/changes.ts";
import { probeTcp } from "@svc/agent/platform/tcp-probe.ts";
import { systemClock as clock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newApp, nodeContainer } from "../support/engine/docker.ts";
import { routeToContainer } from "../support/agent/dummy-containers.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startOwnEngine, type OwnEngine } from "../support/engine/own-engine.ts";

const APPS = 50;
/** The number of apps that have a database. */
const DATABASES = 10;
/** The engine waits for the disk and the kernel with each. */
const STARTS_AT_A_TIME = 5;

let own: OwnEngine;
let engine: HostEngine;
const proxy = createDummyProxy();
const stop = new AbortController();
let keeping: Promise<unknown>;

beforeAll(async () => {
  own = await startOwnEngine({ images: ["node:22-slim", "postgres:16"], reachable: true });
  engine = createDockerEngine({
    docker: own.docker,
    serverId: newId(),
    addressBlock: parseCidr(own.block)!,
    isIsolationRequired: false,
    names: new HostNames(newId()),
    build: () => Promise.reject(new Error("this test builds nothing")),
    log,
  });
});
afterAll(async () => {
  stop.abort();
  await keeping;
  await own?.stop();
});

async function serveApp(index: number): Promise<ContainerState[]> {
  const app = newApp(`app-${index}`);
  const database = index < DATABASES ? [await engine.run(databaseContainer(app, "16"))] : [];
  const script = 'require("http").createServer((q, r) => r.end()).listen(3000, "0.0.0.0")';
  const container = await engine.run(nodeContainer(app, script));
  await proxy.setRoutes(app.id, [routeToContainer(`app-${index}.test`, container)]);
  for (const { id } of [container, ...database]) await engine.keepRunning(id);
  return [container, ...database];
}

async function down(containers: readonly ContainerState[]): Promise<string[]> {
  const isUp = ({ role, address, port }: ContainerState): Promise<boolean> =>
    role === "database"
      ? isPostgresReady(address, port)
      : probeTcp(address, port, 1000).then((refusal) => refusal === undefined);
  const ups = await Promise.all(containers.map(isUp));
  return containers.filter((_container, index) => !ups[index]).map(({ role, appName }) => `${appName} ${role}`);
}

/** The parts of the agent that see the engine end and return. */
function keepRunning(): Promise<unknown> {
  const engineLost = new Changes();
  const reconcile = createReconciler({ engine, proxy, turns: createAppTurns(), clock, log });
  const watch = { engine, notices: new AppNotices(), clock, log, report: () => undefined };
  return Promise.all([
    keepAppsRunning({ engine, reconcile, engineLost, log }, stop.signal),
    watchContainers({ ...watch, onEventsEnd: () => engineLost.notify() }, stop.signal),
  ]);
}

it(
  `${APPS} apps and ${DATABASES} databases serve again by themselves after the engine's return`,
  { timeout: 900_000 },
  async ({ annotate }) => {
    const containers: ContainerState[] = [];
    for (let first = 0; first < APPS; first += STARTS_AT_A_TIME) {
      const indices = Array.from({ length: Math.min(STARTS_AT_A_TIME, APPS - first) }, (_, offset) => first + offset);
      containers.push(...(await Promise.all(indices.map(serveApp))).flat());
    }
    const allServe = () =>
      eventually(
        () => down(containers),
        (list) => list.length === 0,
        { what: "all serve", deadlineMs: 60_000 },
      );
    await allServe();
    keeping = keepRunning();
    await own.kill();
    await own.startAgain();
    const returned = performance.now();
    await allServe();
    const milliseconds = performance.now() - returned;
    expect(await down(containers)).toEqual([]);
    await annotate(
      `${APPS} apps and ${DATABASES} databases serve ${Math.round(milliseconds)} ms after the engine's return`,
    );
  },
);
