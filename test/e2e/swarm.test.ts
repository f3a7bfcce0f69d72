import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSwarm, type TestSwarm } from "../support/engine/swarm.ts";
import { nodeApp } from "../support/platform/apps.ts";
import { startLoad, type Load } from "../support/platform/open-loop-load.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { eventually } from "../support/tools/eventually.ts";

const PER_SECOND = 100;
/** The longest that the engine takes to see that a machine is away, with the time to make a copy elsewhere. */
const MOVED_MS_MAX = 60_000;

let swarm: TestSwarm;
let setup: PlatformWithGit;

beforeAll(async () => {
  swarm = await startSwarm({ images: ["node:22-slim", "postgres:16"] });
  setup = await startPlatformWithGit({
    agent: {
      DOCKER_HOST: swarm.manager.host,
      PATH: swarm.path,
      SVC_ENGINE: "swarm",
      SVC_ADDRESS_BLOCK: swarm.manager.block,
      SVC_BUILD_CAPS: "off",
    },
  });
});
afterAll(async () => {
  await setup?.stop();
  await swarm?.stop();
});

async function startAppLoad(name: string): Promise<Load> {
  const { platform } = setup;
  const ca = readFileSync(join(platform.agentDataDir, "internal-ca.pem"), "utf8");
  return startLoad({ host: `${name}.${platform.appsDomain}`, port: platform.httpsPort, ca, perSecond: PER_SECOND });
}

/** Says why a deploy failed. */
async function deploy(name: string): Promise<void> {
  const { deploy: ended } = await setup.platform.deploy(name);
  expect(ended.error ?? ended.status).toBe("success");
}

test("an app with a database is deployed, deployed again without a lost request, rolled back, stopped and started", async () => {
  const { platform } = setup;
  const repository = await setup.createApp("shop", nodeApp('return "v1 " + (process.env.DATABASE_URL ? "db" : "")'), {
    needs_database: true,
  });
  await deploy("shop");
  expect(await platform.fetchApp("shop")).toMatchObject({ status: 200, body: "v1 db" });

  const load = await startAppLoad("shop");
  await repository.commit(nodeApp('return "v2"'));
  await deploy("shop");
  expect((await platform.api("POST", "/api/apps/shop/rollback")).status).toBe(200);
  const { failures, answers } = await load.stop();
  expect(failures).toEqual({});
  expect(Object.keys(answers).toSorted()).toEqual(["v1 db", "v2"]);
  expect(await platform.fetchApp("shop")).toMatchObject({ body: "v1 db" });

  const act = async (action: string) => (await platform.api("POST", "/api/apps/shop/action", { action })).status;
  expect(await act("stop")).toBe(200);
  expect(await platform.fetchApp("shop")).toMatchObject({ status: 503 });
  expect(await act("start")).toBe(200);
  expect(await platform.fetchApp("shop")).toMatchObject({ status: 200, body: "v1 db" });
  expect(await act("restart")).toBe(200);
  expect(await platform.fetchApp("shop")).toMatchObject({ status: 200, body: "v1 db" });
});

test("a deploy whose app ends at once fails with the app's own words, and the one that served serves on", async () => {
  const { platform } = setup;
  const repository = await setup.createApp("sound", nodeApp('return "sound"'));
  await deploy("sound");
  await repository.commit({ ...nodeApp(), "server.js": "console.error('no such key'); process.exit(4);\n" });
  const { deploy: ended, steps } = await platform.deploy("sound");
  expect(ended.status).toBe("failed");
  expect(steps.find(({ step_name: name }) => name === "deploy_container")?.error).toMatch(/exit code 4[^]*no such key/);
  expect(await platform.fetchApp("sound")).toMatchObject({ body: "sound" });
});

interface ShownApp {
  replicas: number;
  health: { state: string; replicas?: { wanted: number; copies: { machine: string; serving: boolean }[] } };
}

async function readApp(name: string): Promise<ShownApp> {
  const { apps } = (await setup.platform.api("GET", "/api/apps")).body as { apps: (ShownApp & { name: string })[] };
  return apps.find((app) => app.name === name)!;
}

async function servingMachines(name: string): Promise<string[]> {
  const copies = (await readApp(name)).health.replicas?.copies ?? [];
  return copies.filter(({ serving }) => serving).map(({ machine }) => machine);
}

test("an app has as many copies as it is scaled to, and is deployed, scaled and rolled back without a lost request", async () => {
  const { platform } = setup;
  const body = (version: string) => nodeApp(`return "${version} " + require("node:os").hostname()`);
  const repository = await setup.createApp("wide", body("v1"));
  const scale = async (replicas: number) => (await platform.api("PATCH", "/api/apps/wide", { replicas })).status;
  expect(await scale(2)).toBe(200);
  await deploy("wide");
  expect(await readApp("wide")).toMatchObject({ replicas: 2 });
  await expect.poll(async () => (await servingMachines("wide")).length).toBe(2);

  const load = await startAppLoad("wide");
  expect(await scale(4)).toBe(200);
  await expect.poll(async () => (await servingMachines("wide")).length).toBe(4);
  await repository.commit(body("v2"));
  await deploy("wide");
  expect((await platform.api("POST", "/api/apps/wide/rollback")).status).toBe(200);
  expect(await scale(2)).toBe(200);
  await expect.poll(async () => (await servingMachines("wide")).length).toBe(2);
  const { failures, answers, ok } = await load.stop();
  expect(failures).toEqual({});
  expect(ok).toBeGreaterThan(500);
  // Each copy of each release has its share: 2 and 2 more, 4, 4 again.
  expect(Object.keys(answers).length).toBeGreaterThan(8);
});

test("too many copies, or none, are refused", async () => {
  const { platform } = setup;
  for (const replicas of [0, 21, 1.5]) {
    expect((await platform.api("PATCH", "/api/apps/wide", { replicas })).status).toBe(400);
  }
});

test("an app whose machine dies is served by another one, and its log goes on", async () => {
  const { platform } = setup;
  await setup.createApp("mobile", nodeApp('console.log("asked"); return "here"'));
  await platform.api("PATCH", "/api/apps/mobile", { replicas: 3 });
  await deploy("mobile");
  await expect.poll(() => servingMachines("mobile")).toEqual(["node1", "node2", "node3"]);
  await swarm.workers[0].killAll();
  const survivors = () => servingMachines("mobile");
  const isTold = (machines: string[]): boolean => !machines.includes("node2");
  await eventually(survivors, isTold, { what: "the status tells of the loss", deadlineMs: 10_000, isPromised: true });
  expect(await platform.fetchApp("mobile")).toMatchObject({ status: 200, body: "here" });
  await eventually(survivors, (machines) => machines.length === 3, {
    what: "the copy is made again on another machine",
    deadlineMs: MOVED_MS_MAX,
  });
  const answer = await eventually(
    () => platform.fetchApp("mobile").catch(() => undefined),
    (it) => it?.status === 200,
    { what: "the app is served elsewhere", deadlineMs: MOVED_MS_MAX },
  );
  expect(answer!.body).toBe("here");
  const logs = async () => ((await platform.api("GET", "/api/apps/mobile/logs")).body as { logs: string }).logs;
  await expect.poll(logs).toContain("asked");
});

test("a purged app leaves no service, network or volume", async () => {
  const { platform } = setup;
  for (const name of ["shop", "sound", "mobile", "wide"]) {
    expect((await platform.api("DELETE", `/api/apps/${name}?purge=1`)).status).toBe(204);
  }
  const { docker } = swarm.manager;
  const left = async () => {
    const filters = { label: ["svc.app"] };
    const [services, networks, volumes] = await Promise.all([
      docker.listServices({ filters }),
      docker.listNetworks({ filters }),
      docker.listVolumes({ filters }),
    ]);
    return services.length + networks.length + (volumes.Volumes ?? []).length;
  };
  await expect.poll(left).toBe(0);
});
