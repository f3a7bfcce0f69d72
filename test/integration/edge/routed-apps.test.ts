import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createAppControl } from "@svc/agent/apps/app-control.ts";
import { createAppTurns } from "@svc/agent/apps/app-turns.ts";
import { createReconciler } from "@svc/agent/apps/reconcile-apps.ts";
import { createRetirer, type Retirer } from "@svc/agent/apps/retire.ts";
import { proxyRoute } from "@svc/agent/steps/proxy-route.ts";
import type { StepContext } from "@svc/agent/runner/step.ts";
import type { AppRef, ContainerState } from "@svc/agent/ports.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { ProxyRouteSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { probeTcp } from "@svc/agent/platform/tcp-probe.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestEngine, newApp, type TestEngine } from "../../support/engine/docker.ts";
import { startTestEdge, type TestEdge } from "../../support/platform/edge.ts";
import { createTestStep } from "../../support/agent/step-context.ts";

const unhurried = new AbortController().signal;

const PORT = 3000;
const HOST = "shop.test";

/** Says which container it is, and how it was asked to end. */
const PROGRAM = `
  const http = require("node:http");
  http.createServer((req, res) => setTimeout(() => res.end(process.env.NAME), req.url === "/slow" ? 1500 : 0)).listen(${PORT});
  process.on("SIGTERM", () => process.exit(0));`;

let edge: TestEdge;
let test: TestEngine;
let app: AppRef;
let image: string;
let busy: string | undefined;

beforeAll(async () => {
  edge = await startTestEdge();
  test = createTestEngine();
});

afterAll(async () => {
  await test.cleanUp();
  await edge.cleanUp();
});

beforeEach(async () => {
  app = newApp();
  busy = undefined;
  image = await test.makeImage(app, newId(), PROGRAM);
  await test.engine.ensureNetwork(app);
});

afterEach(async () => {
  await edge.proxy.setRoutes(app.id, []);
  await Promise.all((await containerIds()).map((id) => test.engine.remove(id)));
  await test.engine.removeNetwork(app);
});

async function container(deployId = newId(), name: string = deployId): Promise<ContainerState> {
  const made = await test.engine.run({
    app,
    role: "app",
    deployId,
    release: "v1",
    image,
    env: { NAME: name },
    port: PORT,
    memoryBytes: 128 * 1024 * 1024,
    cpuMillis: 500,
    aliases: [],
    volumes: {},
    capabilities: [],
  });
  await listens(made);
  return made;
}

async function listens({ address }: ContainerState): Promise<void> {
  const url = `http://${address}:${PORT}/`;
  await expect
    .poll(
      () =>
        fetch(url)
          .then((res) => res.ok)
          .catch(() => false),
      { timeout: 20_000 },
    )
    .toBe(true);
}

function step(deployId: string, signal?: AbortSignal): StepContext {
  const { ctx } = createTestStep({ app, deployId, engine: test.engine, ...(signal ? { signal } : {}) });
  return { ...ctx, proxy: edge.proxy, dataDirectory: edge.dataDirectory };
}

function routeSpec(hosts: string[] = [HOST], port = PORT) {
  return create(ProxyRouteSpecSchema, { hosts, port });
}

async function deploy(name: string): Promise<ContainerState> {
  const deployId = newId();
  const made = await container(deployId, name);
  await proxyRoute.run(step(deployId), routeSpec());
  return made;
}

function appControl() {
  return createAppControl({
    engine: test.engine,
    proxy: edge.proxy,
    keepLastDump: async () => undefined,
    clock: systemClock,
    log,
  });
}

function retirer(clock: Clock = systemClock): Retirer {
  return createRetirer({ engine: test.engine, proxy: edge.proxy, clock, log, isBusy: (deployId) => deployId === busy });
}

/** A clock whose sweeps come soon. */
const hurriedClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 500), signal),
};

async function served(): Promise<string> {
  return (await edge.get(HOST)).body;
}

async function containerIds(): Promise<string[]> {
  return (await test.engine.list({ appId: app.id, role: "app" })).map(({ id }) => id);
}

describe("the step proxy_route", () => {
  it("leads each host to the new container and says so", async () => {
    const deployId = newId();
    const { address } = await container(deployId, "new");
    const { ctx, lines } = createTestStep({ app, deployId, engine: test.engine });
    const output = await proxyRoute.run(
      { ...ctx, proxy: edge.proxy, dataDirectory: edge.dataDirectory },
      routeSpec([HOST, "www.shop.test"]),
    );
    expect(output).toEqual({
      case: "proxyRoute",
      value: { hosts: [HOST, "www.shop.test"], upstream: `${address}:${PORT}` },
    });
    expect(await served()).toBe("new");
    expect(lines.join("\n")).toMatch(/www\.shop\.test is answered by the new container \(after \d+ ms\)/);
  });

  it("run again, and undone twice, the old container serves", async () => {
    await deploy("old");
    const deployId = newId();
    await container(deployId, "new");
    const ctx = step(deployId);
    await proxyRoute.run(ctx, routeSpec());
    await proxyRoute.run(ctx, routeSpec());
    expect(await served()).toBe("new");
    await proxyRoute.undo(ctx);
    await proxyRoute.undo(ctx);
    await expect.poll(served).toBe("old");
  });

  it("an undo leaves a later deploy's routes alone, and one without a run does nothing", async () => {
    await deploy("old");
    const earlier = newId();
    await container(earlier, "earlier");
    await proxyRoute.run(step(earlier), routeSpec());
    await deploy("later");
    await proxyRoute.undo(step(earlier));
    await proxyRoute.undo(step(newId()));
    await expect.poll(served).toBe("later");
  });

  it("a first deploy that is undone leaves no route", async () => {
    const deployId = newId();
    await container(deployId);
    await proxyRoute.run(step(deployId), routeSpec());
    await proxyRoute.undo(step(deployId));
    expect((await edge.proxy.routes()).filter(({ appId }) => appId === app.id)).toEqual([]);
  });

  it("after a first deploy that is undone its hosts say again that it is not deployed", async () => {
    await appControl().setHostsOfUndeployed(
      { ...app, ownerId: app.id },
      [{ host: HOST }],
      new AbortController().signal,
    );
    expect((await edge.get(HOST)).status).toBe(503);
    const deployId = newId();
    await container(deployId);
    await proxyRoute.run(step(deployId), routeSpec());
    expect((await edge.get(HOST)).status).toBe(200);
    await appControl().setHostsOfUndeployed(
      { ...app, ownerId: app.id },
      [{ host: HOST }],
      new AbortController().signal,
    );
    expect((await edge.get(HOST)).status).toBe(200);
    await proxyRoute.undo(step(deployId));
    await expect.poll(async () => (await edge.get(HOST)).status).toBe(503);
  });

  it("a canceled proof switches back", async () => {
    await deploy("old");
    const deployId = newId();
    await container(deployId, "new");
    const reason = new Error("canceled");
    const ctx = step(deployId, AbortSignal.abort(reason));
    await expect(proxyRoute.run(ctx, routeSpec())).rejects.toBe(reason);
    await expect.poll(served).toBe("old");
  });

  it("a host that can't be one, or another port than the container's, is refused before anything changes", async () => {
    const deployId = newId();
    await container(deployId);
    const refused: [string[], number, RegExp][] = [
      [[], PORT, /0 hosts/],
      [["Shop.test"], PORT, /no host name/],
      [["shop.test/../x"], PORT, /no host name/],
      [["*.test"], PORT, /no host name/],
      [["127.0.0.1"], PORT, /no host name/],
      [[HOST], PORT + 1, /serves port 3000, not 3001/],
    ];
    for (const [hosts, port, message] of refused) {
      await expect(proxyRoute.run(step(deployId), routeSpec(hosts, port))).rejects.toThrow(message);
    }
    expect(await edge.proxy.routes()).toEqual([]);
  });

  it("a deploy without a running container is told so", async () => {
    await expect(proxyRoute.run(step(newId()), routeSpec())).rejects.toMatchObject({ code: "app_exited" });
  });
});

describe("retiring", () => {
  it("what a deploy has replaced is drained, then removed; an open request gets its answer", async () => {
    await deploy("old");
    const slow = edge.get(HOST, { path: "/slow" });
    const current = await deploy("new");
    await retirer().retire(app, new AbortController().signal);
    expect((await slow).body).toBe("old");
    expect(await containerIds()).toEqual([current.id]);
    expect(await served()).toBe("new");
  });

  it("the containers of the deploy that holds the lock stay", async () => {
    await deploy("live");
    busy = newId();
    const next = await container(busy, "next");
    await retirer().retire(app, new AbortController().signal);
    expect(await containerIds()).toContain(next.id);
  });

  it("images that are not kept go, whatever their age; that of the running container stays", async () => {
    const serving = newId();
    image = await test.makeImage(app, serving, PROGRAM);
    await deploy("live");
    const others = Array.from({ length: 4 }, () => newId());
    for (const deployId of others) await test.makeImage(app, deployId, `${PROGRAM} // ${deployId}`);
    const left = async () => (await test.engine.images(app.id)).map(({ deployId }) => deployId).toSorted();
    const before = await left();
    await retirer().retire(app, new AbortController().signal);
    expect(await left()).toEqual(before);
    await retirer().retire(app, new AbortController().signal, { keptDeployIds: [others[0]!, others[2]!] });
    expect(await left()).toEqual([serving, others[0]!, others[2]!].toSorted());
  });

  it("a sweep removes strays, and keeps stopped apps and what serves", async () => {
    const live = await deploy("live");
    const stray = await container(newId(), "stray");
    await appControl().stop(app);
    await retirer(hurriedClock).sweep(new AbortController().signal);
    expect(await containerIds()).not.toContain(stray.id);
    expect(await containerIds()).toContain(live.id);
  });

  it("without any route a sweep removes nothing, and the agent's end ends it at once", async () => {
    const lone = await container();
    await retirer(hurriedClock).sweep(new AbortController().signal);
    expect(await containerIds()).toEqual([lone.id]);
    const ending = new AbortController();
    const sweeping = retirer().sweep(ending.signal);
    ending.abort(new Error("the agent stops"));
    await sweeping;
  });
});

describe("starting and stopping apps", () => {
  it("a stopped app answers 503 within 2 s and keeps its container; started again it serves", async () => {
    const { id } = await deploy("app");
    const startedAt = performance.now();
    await appControl().stop(app);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect((await edge.get(HOST)).status).toBe(503);
    await appControl().stop(app);
    expect(await containerIds()).toEqual([id]);

    await appControl().start(app, unhurried);
    await appControl().start(app, unhurried);
    await expect.poll(served).toBe("app");
  });

  it("a request during a restart waits and is answered", async () => {
    const { address } = await deploy("app");
    const restarting = appControl().restart(app, unhurried);
    // Requests that reached this app before its end are lost with it: it ends at once when it is told to.
    const isUp = () => probeTcp(address, PORT, 1000).then((refusal) => refusal === undefined);
    await expect.poll(isUp, { interval: 5 }).toBe(false);
    const answers = [];
    for (let i = 0; i < 10; i++) answers.push(served());
    await restarting;
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["app"]));
  });

  it("an app that was never deployed is not found, and removing it is no error", async () => {
    await expect(appControl().start(app, unhurried)).rejects.toThrow(
      /shop has no container on this server; deploy it first/,
    );
    await expect(appControl().stop(app)).rejects.toMatchObject({ code: "not_found" });
    await appControl().remove(app, false);
  });

  it("a removed app leaves no container, no route and, purged, no image", async () => {
    await deploy("app");
    await appControl().remove(app, true);
    expect(await containerIds()).toEqual([]);
    expect(await test.engine.images(app.id)).toEqual([]);
    expect(JSON.parse(await readFile(join(edge.dataDirectory, "routes.json"), "utf8"))).toEqual({ routes: [] });
  });
});

it("an app that should serve is started again and found at its address after a restart of the engine", async () => {
  const { id, address } = await deploy("app");
  await test.engine.stop(id, 1);
  const [route] = await edge.proxy.routes();
  await edge.proxy.setRoutes(app.id, [{ ...route!, upstream: "10.222.255.254:1" }]);
  await createReconciler({
    engine: test.engine,
    proxy: edge.proxy,
    turns: createAppTurns(),
    clock: systemClock,
    log,
  })();
  const upstreams = (await edge.proxy.routes()).map(({ upstream }) => upstream);
  expect(upstreams).toEqual([`${address}:${PORT}`]);
  await expect.poll(served, { timeout: 10_000 }).toBe("app");
});
