import { createSwarmEngine } from "@svc/agent/engine/swarm/swarm-engine.ts";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { parseCidr } from "@svc/agent/engine/network/address-block.ts";
import { probeTcp } from "@svc/agent/platform/tcp-probe.ts";
import type { ContainerEvent, ContainerState } from "@svc/agent/ports.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { imageLabels } from "@svc/shared/rules/labels.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { promisesOfAnEngine } from "../../contract/engine.contract.ts";
import { commitImage, newApp, nodeContainer } from "../../support/engine/docker.ts";
import { startSwarm, type TestSwarm } from "../../support/engine/swarm.ts";
import { eventually } from "../../support/tools/eventually.ts";

const LINES = "for (let i = 1; i <= 5; i++) console.log('line ' + i); setInterval(() => {}, 1000)";
const SERVER = "require('http').createServer((q, r) => r.end('ok')).listen(3000)";

const PATH = process.env["PATH"]!;
const serverId = newId();
const names = new HostNames(newId());
let swarm: TestSwarm;
let engine: ReturnType<typeof createSwarmEngine>;

function engineOf(server: string): ReturnType<typeof createSwarmEngine> {
  return createSwarmEngine({
    docker: swarm.manager.docker,
    serverId: server,
    addressBlock: parseCidr(swarm.manager.block)!,
    names,
    build: () => Promise.reject(new Error("this test builds nothing")),
    log: silentLogger,
  });
}

beforeAll(async () => {
  swarm = await startSwarm();
  process.env["PATH"] = swarm.path;
  engine = engineOf(serverId);
});
afterAll(() => {
  process.env["PATH"] = PATH;
  return swarm?.stop();
});

const makeImage = (app: { id: string; name: string }, deployId: string, script: string) =>
  commitImage(swarm.manager.docker, imageLabels(serverId, app, deployId), script);

promisesOfAnEngine(() => ({
  engine,
  stranger: engineOf(newId()),
  localRole: "database",
  makeImage: (app, deployId) => makeImage(app, deployId, LINES),
  exhaustMemory: async (id) => {
    await engine.exec(id, ["node", "-e", "for (const all = []; ; ) all.push(Buffer.alloc(1 << 20, 1))"], "");
  },
  exhaustProcesses: async (id) => {
    await engine.exec(id, ["sh", "-c", "bomb() { bomb | bomb & }; bomb > /dev/null 2>&1 < /dev/null"], "");
  },
  cleanUp: () => Promise.resolve(),
}));

/** Waits until so many copies run and accept connections. */
async function untilServing(id: string, copies: number, deadlineMs = 60_000): Promise<ContainerState> {
  const look = async () => {
    const container = (await engine.list({ role: "app" })).find((each) => each.id === id)!;
    const running = container.copies!.now.filter(({ state }) => state === "running");
    const refusals = await Promise.all(running.map(({ address }) => probeTcp(address, container.port, 500)));
    return { container, serving: refusals.filter((refusal) => refusal === undefined).length };
  };
  const what = `${copies} copies serve`;
  return (await eventually(look, ({ serving }) => serving === copies, { what, deadlineMs })).container;
}

async function runCopies(script: string, copies: number): Promise<ContainerState> {
  const app = newApp();
  const deployId = newId();
  const image = await makeImage(app, deployId, script);
  const { command: _, ...spec } = nodeContainer(app, script, { deployId, image, copies });
  return engine.run(spec);
}

describe("copies", () => {
  test("are spread over the machines, and this machine reaches each of them", async () => {
    const { id } = await runCopies(SERVER, 3);
    const { copies } = await untilServing(id, 3);
    expect(copies!.now.map(({ node }) => node).toSorted()).toEqual(["node1", "node2", "node3"]);
    await engine.remove(id);
  });

  test("keep running while they are told to be kept, and are made again when they end", async () => {
    const { id, startedAt } = await runCopies(SERVER, 1);
    await engine.keepRunning(id);
    const before = await untilServing(id, 1);
    expect(before.startedAt).toEqual(startedAt);
    expect(before).toMatchObject({ state: "running", restartCount: 0 });
    await killCopies(before);
    const after = await eventually(
      () => untilServing(id, 1),
      ({ restartCount }) => restartCount === 1,
      { what: "the copy is made again" },
    );
    expect(after.startedAt!.getTime()).toBeGreaterThan(startedAt!.getTime());
    await engine.remove(id);
  });

  test("that end before they are kept are a container that has ended, with its exit code", async () => {
    const { id, appId } = await runCopies("setTimeout(() => process.exit(3), 500)", 1);
    const look = async () => (await engine.list({ appId })).find((each) => each.id === id);
    const what = "its end is known";
    expect(await eventually(look, (it) => it?.state === "exited", { what })).toMatchObject({
      exitCode: 3,
      restartCount: 0,
    });
    await engine.remove(id);
  });

  test("stop together, and start again as many as they were", async () => {
    const { id, appId } = await runCopies(SERVER, 2);
    await engine.stop(id, 0);
    await engine.stop(id, 0);
    expect(await engine.list({ appId })).toMatchObject([{ state: "exited", copies: { wanted: 2, now: [] } }]);
    await engine.start(id);
    expect(await engine.list({ appId })).toMatchObject([{ state: "running" }]);
    await untilServing(id, 2);
    await engine.remove(id);
  });

  test("tell of a start, of being told to end and of their end", async () => {
    const since = new Date();
    const events: ContainerEvent[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const event of engine.containerEvents({ since, signal: stop.signal })) events.push(event);
    })();
    const kept = await runCopies(SERVER, 1);
    await engine.keepRunning(kept.id);
    const ofKept = () => events.filter(({ containerId }) => containerId === kept.id).map(({ kind }) => kind);
    await expect.poll(ofKept).toEqual(["started"]);
    await killCopies(await untilServing(kept.id, 1));
    await expect.poll(ofKept).toEqual(["started", "ended", "started"]);
    expect(events.find(({ kind }) => kind === "ended")).toMatchObject({ appId: kept.appId, exitCode: 137 });
    await engine.stop(kept.id, 0);
    await expect.poll(ofKept).toEqual(["started", "ended", "started", "signalled", "ended"]);
    stop.abort();
    await reading;
    await engine.remove(kept.id);
  });

  test("get variables byte for byte, also those that look like templates", async () => {
    const app = newApp();
    const env = { TEMPLATE: "a {{.Node.ID}} {{{b}}} {{", LINES: "x\ny='$HOME' ü" };
    const script =
      "console.log(JSON.stringify([process.env.TEMPLATE, process.env.LINES])); setInterval(() => {}, 1000)";
    const deployId = newId();
    const spec = nodeContainer(app, "", { deployId, image: await makeImage(app, deployId, script), env });
    const { id } = await engine.run({ ...spec, command: ["node", "-e", script] });
    expect(await engine.environment(id)).toEqual(env);
    const log = async () => {
      const texts: string[] = [];
      for await (const lines of engine.logs(id, { lines: 5, follow: false }))
        texts.push(...lines.map(({ text }) => text));
      return texts;
    };
    await expect.poll(log).toEqual([JSON.stringify(Object.values(env))]);
    await engine.remove(id);
  });

  test("reach their app's database by its name, and this machine enters it", async () => {
    const app = newApp();
    const deployId = newId();
    await engine.ensureNetwork(app);
    const database = await engine.run(nodeContainer(app, SERVER, { role: "database", aliases: ["db"] }));
    const script = `setInterval(() => fetch("http://db:3000").then((r) => r.text()).then(console.log, (e) => console.log(e.cause?.code)), 500)`;
    const image = await makeImage(app, deployId, script);
    const { command: _, ...spec } = nodeContainer(app, script, { deployId, image, copies: 3 });
    const { id } = await engine.run(spec);
    expect(await probeTcp(database.address, 3000, 1_000)).toBeUndefined();
    const answers = async () => {
      const texts: string[] = [];
      for await (const lines of engine.logs(id, { lines: 500, follow: false }))
        texts.push(...lines.map(({ text }) => text));
      return texts.filter((text) => text === "ok").length;
    };
    await expect.poll(answers).toBeGreaterThan(5);
    for (const each of await engine.list({ appId: app.id })) await engine.remove(each.id);
    await engine.removeNetwork(app);
  });
});

describe("apps are kept apart", () => {
  test("an app reaches no other app's copy, and nothing link-local, on any machine", async () => {
    const victim = await untilServing((await runCopies(SERVER, 1)).id, 1);
    const targets = JSON.stringify([`${victim.address}:3000`, "169.254.169.254:80"]);
    const script = `
      const { connect } = require("net");
      for (const at of ${targets}) {
        const [host, port] = at.split(":");
        const socket = connect({ host, port, timeout: 3000 });
        socket.on("connect", () => console.log(at, "reached")).on("error", (e) => console.log(at, e.code));
        socket.on("timeout", () => { console.log(at, "silent"); socket.destroy(); });
      }
      setInterval(() => {}, 1000)`;
    const { id } = await runCopies(script, 3);
    const told = async () => {
      const texts: string[] = [];
      for await (const lines of engine.logs(id, { lines: 50, follow: false }))
        texts.push(...lines.map(({ text }) => text));
      return texts;
    };
    const texts = await eventually(told, (lines) => lines.length >= 6, { what: "each copy has tried" });
    expect(new Set(texts)).toEqual(new Set([`${victim.address}:3000 EHOSTUNREACH`, "169.254.169.254:80 EHOSTUNREACH"]));
    await Promise.all([engine.remove(id), engine.remove(victim.id)]);
  });
});

async function killCopies({ id }: ContainerState): Promise<void> {
  for (const { docker } of [swarm.manager, ...swarm.workers]) {
    const filters = { label: [`com.docker.swarm.service.id=${id}`] };
    for (const { Id: container } of await docker.listContainers({ filters })) {
      await docker.getContainer(container).kill({ signal: "SIGKILL" });
    }
  }
}
