import { newId } from "@svc/shared/rules/ids.ts";
import type { AppRef, ContainerEvent, ContainerRole, ContainerSpec, Engine, StampedLine } from "@svc/agent/ports.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApp } from "../support/engine/docker.ts";
import { eventually } from "../support/tools/eventually.ts";

/** Behind `engine` stands an engine that other agents share. */
export interface EngineHarness {
  engine: Engine;
  /** The same engine as an agent with another server label sees it. */
  stranger: Engine;
  /**
   * The role of containers that are on the agent's own machine: they can be entered, its kernel knows what they use, and
   * they have an address for life. In a cluster only databases are.
   */
  localRole: ContainerRole;
  /** An image of the app that writes `line 1` to `line 5` and then runs until it is told to stop. @returns its digest */
  makeImage(app: AppRef, deployId: string): Promise<string>;
  /** A process in the container takes memory without end. */
  exhaustMemory(id: string): Promise<void>;
  /** Processes in the container start others without end. */
  exhaustProcesses(id: string): Promise<void>;
  cleanUp(): Promise<void>;
}

/** The contract of every implementation of the Engine port. */
export function promisesOfAnEngine(makeHarness: () => EngineHarness | Promise<EngineHarness>): void {
  describe("an engine", () => {
    let harness: EngineHarness;
    let engine: Engine;
    beforeAll(async () => {
      harness = await makeHarness();
      engine = harness.engine;
    });
    afterAll(() => harness?.cleanUp());

    async function specOf(app: AppRef, fields: Partial<ContainerSpec> = {}): Promise<ContainerSpec> {
      const deployId = fields.deployId ?? newId();
      return {
        app,
        role: "app",
        deployId,
        release: "v1",
        image: fields.image ?? (await harness.makeImage(app, deployId)),
        env: {},
        port: 3000,
        memoryBytes: 64 * 1024 * 1024,
        cpuMillis: 500,
        aliases: [],
        volumes: {},
        capabilities: [],
        ...fields,
      };
    }

    /** Is for what only the machine of a container can do, or tell. */
    const localSpecOf = (app: AppRef, fields: Partial<ContainerSpec> = {}): Promise<ContainerSpec> =>
      specOf(app, { role: harness.localRole, ...fields });

    test("says what it is", async () => {
      await engine.ping();
      const { version, apiVersion, dataDirectory } = await engine.describe();
      expect(version).not.toBe("");
      expect(apiVersion).toMatch(/^1\.\d+$/);
      expect(dataDirectory).toMatch(/^\//);
    });

    test("runs a container once, however often and however concurrently it is asked to", async () => {
      const spec = await specOf(newApp());
      const states = await Promise.all([engine.run(spec), engine.run(spec), engine.run(spec)]);
      expect(new Set(states.map(({ id }) => id)).size).toBe(1);
      expect(states[0]).toMatchObject({
        appId: spec.app.id,
        appName: spec.app.name,
        role: "app",
        deployId: spec.deployId,
        release: "v1",
        imageDigest: spec.image,
        state: "running",
        exitCode: undefined,
        outOfMemory: false,
        port: 3000,
      });
      expect(states[0]!.address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(states[0]!.startedAt).toBeInstanceOf(Date);
    });

    test("lists what a filter asks for, newest first", async () => {
      const app = newApp();
      const first = await engine.run(await specOf(app));
      const second = await engine.run(await specOf(app));
      const elsewhere = await engine.run(await specOf(newApp()));
      const ids = async (filter: Parameters<Engine["list"]>[0]) => (await engine.list(filter)).map(({ id }) => id);
      expect(await ids({ appId: app.id })).toEqual([second.id, first.id]);
      expect(await ids({ appId: app.id, deployId: first.deployId! })).toEqual([first.id]);
      expect(await ids({ appId: app.id, role: "database" })).toEqual([]);
      expect(await ids({})).toEqual(expect.arrayContaining([first.id, second.id, elsewhere.id]));
    });

    test("gives a container an address for its life, whether it runs or not", async () => {
      const app = newApp();
      const first = await engine.run(await localSpecOf(app));
      await engine.stop(first.id, 0);
      const second = await engine.run(await localSpecOf(app));
      expect(second.address).not.toBe(first.address);
      expect((await engine.list({ deployId: first.deployId! }))[0]?.address).toBe(first.address);
      await engine.start(first.id);
      expect((await engine.list({ deployId: first.deployId! }))[0]).toMatchObject({
        address: first.address,
        state: "running",
      });
    });

    test("stops and removes, again and again", async () => {
      const { id, deployId } = await engine.run(await localSpecOf(newApp()));
      await engine.stop(id, 0);
      await engine.stop(id, 0);
      const [stopped] = await engine.list({ deployId: deployId! });
      expect(stopped).toMatchObject({ state: "exited" });
      expect(stopped!.exitCode).toBeGreaterThan(0);
      await engine.remove(id);
      await engine.remove(id);
      await engine.stop(id, 0);
      expect(await engine.list({ deployId: deployId! })).toEqual([]);
    });

    test("removes a container that runs", async () => {
      const { id, deployId } = await engine.run(await specOf(newApp()));
      await engine.remove(id);
      expect(await engine.list({ deployId: deployId! })).toEqual([]);
    });

    test("neither shows nor touches what belongs to another server", async () => {
      const { stranger } = harness;
      const { id, imageDigest, appId, deployId } = await engine.run(await specOf(newApp()));
      const app = { id: appId, name: "shop" };
      expect(await stranger.list({ appId })).toEqual([]);
      expect(await stranger.images(appId)).toEqual([]);
      await stranger.stop(id, 0);
      await stranger.remove(id);
      await stranger.removeImages(appId, deployId!);
      await stranger.removeNetwork(app);
      await stranger.removeVolumes(app);
      const refused = [
        stranger.start(id),
        stranger.keepRunning(id),
        stranger.listeningSockets(id),
        stranger.exec(id, ["cat"], ""),
        stranger.tagImage(imageDigest, app, "mine"),
        stranger.logs(id, { lines: 1, follow: false })[Symbol.asyncIterator]().next(),
        linesOf(stranger, id),
        stranger.environment(id),
      ];
      const notFound = expect.objectContaining({
        status: "rejected",
        reason: expect.objectContaining({ code: "not_found" }),
      });
      expect(await Promise.allSettled(refused)).toEqual(refused.map(() => notFound));
      expect(await engine.list({ appId })).toMatchObject([{ id, state: "running" }]);
      expect(await engine.images(appId)).toHaveLength(1);
    });

    test("has no container of an image that is gone", async () => {
      const spec = await specOf(newApp(), { image: `sha256:${"0".repeat(64)}` });
      await expect(engine.run(spec)).rejects.toMatchObject({ code: "not_found" });
      expect(await engine.list({ appId: spec.app.id })).toEqual([]);
    });

    test("shows the last lines of a log, oldest first", async () => {
      const { id } = await engine.run(await specOf(newApp()));
      const texts: string[] = [];
      const controller = new AbortController();
      for await (const batch of engine.logs(id, { lines: 500, follow: true, signal: controller.signal })) {
        texts.push(...batch.map(({ text }) => text));
        if (texts.length >= 5) controller.abort();
      }
      expect(texts).toEqual(["line 1", "line 2", "line 3", "line 4", "line 5"]);
      const last: string[] = [];
      for await (const batch of engine.logs(id, { lines: 2, follow: false })) {
        last.push(...batch.map(({ text }) => text));
      }
      expect(last).toEqual(["line 4", "line 5"]);
    });

    test("reads the lines on from a stamp, that line among them, and no more than are asked for", async () => {
      const { id } = await engine.run(await specOf(newApp()));
      const read = (lines: number, since?: string) => linesOf(engine, id, lines, since);
      await expect.poll(() => read(500)).toHaveLength(5);
      const all = await read(500);
      expect(all.map(({ text, output }) => `${output} ${text}`)).toEqual(
        [1, 2, 3, 4, 5].map((n) => `stdout line ${n}`),
      );
      for (const { stamp, time } of all) {
        expect(stamp).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9}Z$/);
        expect(new Date(stamp)).toEqual(time);
      }
      const { stamp } = all[2]!;
      expect(await read(500, stamp)).toEqual(all.filter((line) => line.stamp >= stamp));
      expect(await read(2)).toEqual(all.slice(3));
      expect(await read(500, "2999-01-31T12:00:00.000000000Z")).toEqual([]);
    });

    test("names the variables that a container was given, and no others", async () => {
      const { id } = await engine.run(await specOf(newApp(), { env: { TOKEN: "a=b", EMPTY: "" } }));
      expect(await engine.environment(id)).toEqual({ TOKEN: "a=b", EMPTY: "" });
    });

    test("ends a log that it follows when it is told to, also when nothing is written", async () => {
      const { id } = await engine.run(await specOf(newApp()));
      const signal = AbortSignal.timeout(300);
      for await (const batch of engine.logs(id, { lines: 1, follow: true, signal }))
        expect(batch.length).toBeGreaterThan(0);
      expect(signal.aborted).toBe(true);
    });

    test("tells of a container's start, once or more that it takes memory without end, that it is sent a signal, then of its end, and no other server", async () => {
      const started = new Date();
      const container = await engine.run(await localSpecOf(newApp()));
      const neighbour = await engine.run(await localSpecOf(newApp()));
      const events = untilTheEndOf(engine, neighbour.id, started);
      await harness.exhaustMemory(container.id);
      await engine.stop(container.id, 0);
      await engine.stop(neighbour.id, 0);
      const [own, [end]] = [
        (await events).filter(({ containerId }) => containerId === container.id),
        (await events).slice(-1),
      ];
      const { appId, appName } = container;
      const owner = { appId, appName, role: harness.localRole };
      expect([...new Set(own.map(({ kind }) => kind))]).toEqual(["started", "out_of_memory", "signalled", "ended"]);
      // A probation tells a container's first start by this.
      expect(Math.abs(own[0]!.time.getTime() - container.startedAt!.getTime())).toBeLessThan(1_000);
      expect(own[0]).toMatchObject({ ...owner, exitCode: undefined, time: expect.any(Date) });
      expect(own.at(-1)).toMatchObject({ ...owner, kind: "ended", exitCode: expect.any(Number) });
      expect(own[0]!.time.getTime()).toBeGreaterThanOrEqual(started.getTime());
      expect(own.at(-1)!.time.getTime()).toBeGreaterThanOrEqual(own[0]!.time.getTime());
      expect(await untilTheEndOf(harness.stranger, neighbour.id, started, AbortSignal.timeout(300))).toEqual([]);
      // A later reader hears of what happened since then.
      expect(await untilTheEndOf(engine, neighbour.id, end!.time)).toContainEqual(end);
    });

    test("ends the events when it is told to, also when nothing happens", async () => {
      const signal = AbortSignal.timeout(300);
      for await (const event of engine.containerEvents({ since: new Date(), signal })) expect(event).toBeDefined();
      expect(signal.aborted).toBe(true);
    });

    test("counts how often a container could start no further process", async () => {
      // This is more than 512 small processes take, which would end for their memory otherwise.
      const container = await engine.run(await localSpecOf(newApp(), { memoryBytes: 512 * 1024 * 1024 }));
      const quiet = await engine.run(await localSpecOf(newApp()));
      const countOf = async (from: Engine, id: string) =>
        (await from.processRefusals()).find(({ containerId }) => containerId === id);
      const { appId, appName } = container;
      const counted = {
        containerId: container.id,
        appId,
        appName,
        role: harness.localRole,
        processesMax: 512,
        count: 0,
      };
      expect(await countOf(engine, container.id)).toEqual(counted);
      await harness.exhaustProcesses(container.id);
      const what = "processes are refused";
      await eventually(
        () => countOf(engine, container.id),
        (it) => (it?.count ?? 0) > 0,
        { what, deadlineMs: 60_000 },
      );
      expect(await countOf(engine, quiet.id)).toMatchObject({ count: 0 });
      expect(await countOf(harness.stranger, container.id)).toBeUndefined();
      await engine.stop(container.id, 0);
      expect(await countOf(engine, container.id)).toBeUndefined();
    }, 90_000);

    test("tells what a container that runs has used since its start, and another server's to nobody", async () => {
      const container = await engine.run(await localSpecOf(newApp()));
      const { id: containerId, appId, appName } = container;
      const usageIn = async (from: Engine) => (await from.usage()).find((each) => each.containerId === containerId);
      const first = await usageIn(engine);
      const facts = {
        containerId,
        appId,
        appName,
        role: harness.localRole,
        restartCount: 0,
        memoryBytesMax: 64 * 1024 * 1024,
      };
      expect(first).toMatchObject({
        ...facts,
        counters: { cpuMs: expect.any(Number), memoryBytes: expect.any(Number) },
      });
      expect((await usageIn(engine))!.run).toBe(first!.run);
      expect(await usageIn(harness.stranger)).toBeUndefined();
      await engine.stop(containerId, 0);
      expect(await usageIn(engine)).toBeUndefined();
      await engine.start(containerId);
      const second = await usageIn(engine);
      expect(second!.run).not.toBe(first!.run);
      expect(second!.startedAt!.getTime()).toBeGreaterThan(first!.startedAt!.getTime());
    });

    test("runs a command with its input, and cuts a long output", async () => {
      const { id } = await engine.run(await localSpecOf(newApp()));
      expect(await engine.exec(id, ["cat"], "ü €\n'$HOME'")).toEqual({ exitCode: 0, output: "ü €\n'$HOME'" });
      const { exitCode, output } = await engine.exec(id, ["cat"], "x".repeat(200_000));
      expect(exitCode).toBe(0);
      expect(output).toBe("x".repeat(65_536));
    });

    test("runs no command in a container that does not run", async () => {
      const { id } = await engine.run(await localSpecOf(newApp()));
      await engine.stop(id, 0);
      await expect(engine.exec(id, ["cat"], "")).rejects.toMatchObject({ code: "not_found" });
    });

    test("shows an app's images, newest first, and removes those of a deploy that nothing uses", async () => {
      const app = newApp();
      const [old, used, recent] = [newId(new Date(1000)), newId(new Date(2000)), newId(new Date(3000))];
      for (const deployId of [old, used, recent]) await harness.makeImage(app, deployId);
      const images = await engine.images(app.id);
      const digestOf = (deployId: string) => images.find((image) => image.deployId === deployId)!.digest;
      await engine.run(await specOf(app, { deployId: used, image: digestOf(used) }));
      await engine.tagImage(digestOf(old), app, "previous");
      await engine.tagImage(digestOf(old), app, "previous");
      for (const deployId of [old, used, old]) await engine.removeImages(app.id, deployId);
      expect((await engine.images(app.id)).map(({ deployId }) => deployId)).toEqual([recent, used]);
    });

    test("refuses to name an image of another app", async () => {
      const digest = await harness.makeImage(newApp(), newId());
      await expect(engine.tagImage(digest, newApp(), "previous")).rejects.toMatchObject({ code: "not_found" });
    });

    test("makes and removes networks and volumes any number of times", async () => {
      const app = newApp();
      await Promise.all([engine.ensureNetwork(app), engine.ensureNetwork(app)]);
      const { id } = await engine.run(await localSpecOf(app, { volumes: { "/data": "uploads" } }));
      await engine.remove(id);
      for (let round = 0; round < 2; round += 1) {
        await engine.removeVolumes(app);
        await engine.removeNetwork(app);
      }
      expect(await engine.list({ appId: app.id })).toEqual([]);
    });
  });
}

/** Collects the events from then until that container ends, or the signal. */
async function untilTheEndOf(
  engine: Engine,
  id: string,
  since: Date,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<ContainerEvent[]> {
  const events: ContainerEvent[] = [];
  for await (const event of engine.containerEvents({ since, signal })) {
    events.push(event);
    if (event.containerId === id && event.kind === "ended") break;
  }
  return events;
}

async function linesOf(engine: Engine, id: string, lines = 500, since?: string): Promise<StampedLine[]> {
  const { signal } = new AbortController();
  const found: StampedLine[] = [];
  for await (const batch of engine.linesSince(id, { lines, since, signal })) found.push(...batch);
  return found;
}
