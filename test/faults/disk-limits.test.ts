import { statfs } from "node:fs/promises";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { createDockerEngine, type HostEngine } from "@svc/agent/engine/engine.ts";
import type { DiskLimits } from "@svc/agent/engine/disk-limits.ts";
import { createDummyProxy } from "@svc/agent/dummy/proxy.ts";
import { watchDisk } from "@svc/agent/bounds/watch-disk.ts";
import { createHost } from "@svc/agent/host/host.ts";
import { databaseContainer } from "@svc/agent/database/container.ts";
import { PSQL_ARGV } from "@svc/agent/database/statements.ts";
import type { AppRef, ContainerState } from "@svc/agent/ports.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { newApp, nodeContainer, TEST_BLOCK } from "../support/engine/docker.ts";
import { routeToContainer } from "../support/agent/dummy-containers.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startOwnEngine, type OwnEngine } from "../support/engine/own-engine.ts";

const MIB = 1024 ** 2;
const LIMITS: DiskLimits = { appBytes: 300 * MIB, databaseBytes: 300 * MIB, filesMax: 50_000 };
/** No app comes near them on this disk. */
const NO_LIMITS: DiskLimits = { appBytes: Infinity, databaseBytes: Infinity, filesMax: Infinity };

let own: OwnEngine;
let engine: HostEngine;
let proxy: ReturnType<typeof createDummyProxy>;
let errors: { code: string; message: string }[];
let watch: { stop: AbortController; ended: Promise<void> } | undefined;
const apps: AppRef[] = [];

beforeAll(async () => {
  own = await startOwnEngine({ diskMegabytes: 4096, images: ["debian:bookworm-slim", "postgres:16"] });
});
afterAll(() => own?.stop());

beforeEach(() => {
  proxy = createDummyProxy();
  errors = [];
  const names = new HostNames(newId());
  const build = () => Promise.reject(new Error("this test builds nothing"));
  engine = createDockerEngine({ docker: own.docker, serverId: newId(), addressBlock: TEST_BLOCK, build, names, log });
});

afterEach(async () => {
  watch?.stop.abort();
  await watch?.ended;
  watch = undefined;
  for (const app of apps.splice(0)) {
    for (const { id } of await engine.list({ appId: app.id })) await engine.remove(id);
    await engine.removeVolumes(app);
    await engine.removeNetwork(app);
  }
});

/** The watch as the agent runs it, on the small disk. */
function startWatch(limits: DiskLimits): void {
  const stop = new AbortController();
  const watermarks = { diskBytesMin: 1024 * MIB, ratioMin: 0.025 };
  const report = (code: string, message: string): void => void errors.push({ code, message });
  const host = createHost();
  watch = {
    stop,
    ended: watchDisk(
      {
        engine,
        proxy,
        host,
        limits,
        watermarks,
        buildWatermarks: watermarks,
        heldBack: new Set(),
        clock: systemClock,
        log,
        report,
      },
      stop.signal,
    ),
  };
}

/** A served app that runs the shell's `script`. */
async function serve(
  name: string,
  script: string,
  image = "debian:bookworm-slim",
): Promise<{ app: AppRef; container: ContainerState }> {
  const app = newApp(name);
  apps.push(app);
  const command = ["sh", "-c", script];
  const container = await engine.run(nodeContainer(app, "", { image, command }));
  await engine.keepRunning(container.id);
  await proxy.setRoutes(app.id, [routeToContainer(`${name}.test`, container)]);
  return { app, container };
}

async function addDatabase(app: AppRef): Promise<(script: string) => Promise<string>> {
  const { id } = await engine.run(databaseContainer(app, "16"));
  const psql = async (script: string): Promise<string> => {
    const { exitCode, output } = await engine.exec(id, [...PSQL_ARGV, "--tuples-only", "--no-align"], script);
    if (exitCode !== 0) throw new Error(output);
    return output.trim();
  };
  // The image's entry point makes the cluster with a server that listens on no address.
  const addresses = () => psql("SHOW listen_addresses;").catch(String);
  await eventually(addresses, (answer) => answer === "*", { what: "the database answers", deadlineMs: 30_000 });
  return psql;
}

const isRunning = async ({ container }: { container: ContainerState }): Promise<boolean> =>
  (await engine.list({ appId: container.appId, role: "app" })).some(({ state }) => state === "running");

/** An image whose containers get a volume for each of the directories. */
async function imageWithVolumes(directories: readonly string[]): Promise<string> {
  const [repo, tag] = ["svc-test/volumes", newId().slice(-8).toLowerCase()];
  const container = await own.docker.createContainer({ Image: "debian:bookworm-slim" });
  await container.commit({ repo, tag, changes: `VOLUME ${JSON.stringify(directories)}` });
  await container.remove();
  return `${repo}:${tag}`;
}

const volumesOf = async (): Promise<string[]> => (await own.docker.listVolumes()).Volumes.map(({ Name }) => Name);

/** @returns the sentence for the owner */
async function untilStopped(served: { app: AppRef; container: ContainerState }): Promise<string> {
  const routes = () => proxy.routes().then((all) => all.filter(({ appId }) => appId === served.app.id));
  const what = `${served.app.name} is stopped`;
  const [route] = await eventually(routes, ([first]) => first?.state === "stopped", { what, deadlineMs: 40_000 });
  expect(await isRunning(served)).toBe(false);
  expect(route?.stoppedBy?.reason).toBe("disk_limit");
  return route!.stoppedBy!.detail;
}

const freeBytes = async (): Promise<number> => {
  const { bsize, bavail } = await statfs(own.dataDirectory);
  return bsize * bavail;
};

const WRITE_FILE = "dd if=/dev/zero of=/tmp/fill bs=1M; sleep 1000";

it("an app that writes until the disk is full is stopped, and another owner's database does not miss one insert", async () => {
  const quiet = await serve("quiet", "sleep 1000");
  const psql = await addDatabase(quiet.app);
  await psql("CREATE TABLE t (at timestamptz DEFAULT clock_timestamp(), fill text);");
  startWatch(LIMITS);
  const twentyInserts = "INSERT INTO t (fill) VALUES (repeat('x', 8000));\nSELECT pg_sleep(0.05);\n".repeat(20);
  let isOver = false;
  let rounds = 0;
  const inserting = (async () => {
    for (; !isOver; rounds += 1) await psql(twentyInserts);
  })();
  const started = performance.now();
  const loud = await serve("loud", WRITE_FILE);
  const detail = await untilStopped(loud);
  const seconds = (performance.now() - started) / 1000;
  isOver = true;
  await inserting;
  expect(Number(await psql("SELECT count(*) FROM t;"))).toBe(rounds * 20);
  expect(await isRunning(quiet)).toBe(true);
  expect(detail).toMatch(/^The app loud was stopped: its files .* grew to .*, and an app may have 300 MiB\./);
  expect(errors).toEqual([{ code: "disk_limit", message: detail }]);
  expect(seconds).toBeLessThan(10);

  // It may be started again, and is stopped again while it is as large.
  await engine.start(loud.container.id);
  await proxy.setRoutes(loud.app.id, [routeToContainer("loud.test", loud.container)]);
  await untilStopped(loud);
});

it("an app that fills the disk without exceeding its limit is removed, and its space comes back", async () => {
  const free = await freeBytes();
  startWatch(NO_LIMITS);
  const small = await serve("small", "dd if=/dev/zero of=/tmp/fill bs=1M count=20; sleep 1000");
  const loud = await serve("loud", WRITE_FILE);
  expect(await untilStopped(loud)).toMatch(/disk is nearly full.* grew most.* container was removed with these files/);
  await eventually(freeBytes, (bytes) => bytes > free - 100 * MIB, { what: "the disk's space comes back" });
  expect(await isRunning(small)).toBe(true);
  expect(await engine.list({ appId: loud.app.id })).toEqual([]);
});

it("an app that spreads its files over volumes of its image is stopped at the limit of one app", async () => {
  const image = await imageWithVolumes(["/a", "/b", "/c", "/d"]);
  startWatch(LIMITS);
  const write = "for v in a b c d; do dd if=/dev/zero of=/$v/fill bs=1M count=100; done; sleep 1000";
  const loud = await serve("loud", write, image);
  expect(await untilStopped(loud)).toMatch(/its files .* grew to .*, and an app may have 300 MiB/);
});

it("an app that fills the disk through volumes of its image is removed with them, and the space comes back", async () => {
  const image = await imageWithVolumes(["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"]);
  const [free, before] = [await freeBytes(), await volumesOf()];
  startWatch(NO_LIMITS);
  const neighbours = await Promise.all([serve("small", "sleep 1000"), serve("tiny", "sleep 1000")]);
  // Each volume by itself holds less than a fair share.
  const write = "for v in a b c d e f g h; do dd if=/dev/zero of=/$v/fill bs=1M count=400; done; sleep 1000";
  const loud = await serve("loud", write, image);
  expect(await untilStopped(loud)).toMatch(/disk is nearly full.* container was removed with these files/);
  await eventually(freeBytes, (bytes) => bytes > free - 100 * MIB, { what: "the disk's space comes back" });
  // They are emptied first, and then removed.
  await expect.poll(volumesOf).toEqual(before);
  expect(await Promise.all(neighbours.map(isRunning))).toEqual([true, true]);
  expect(errors.map(({ code }) => code)).toEqual(["disk_limit"]);
});

it("an app that makes files without end is stopped", async () => {
  startWatch(LIMITS);
  const loud = await serve("loud", "i=0; while :; do : > /tmp/$i; i=$((i+1)); done");
  expect(await untilStopped(loud)).toMatch(/grew to \d+ files, and an app may have 50000 files/);
});

it("an app that writes to a file which it has deleted is stopped", async () => {
  startWatch(LIMITS);
  const loud = await serve("loud", "exec 3>/tmp/x; rm /tmp/x; dd if=/dev/zero bs=1M >&3; sleep 1000");
  expect(await untilStopped(loud)).toMatch(/grew to .*, and an app may have 300 MiB/);
});

it("an app whose database exceeds its limit is stopped, and the database keeps its data and answers", async () => {
  const loud = await serve("loud", "sleep 1000");
  const psql = await addDatabase(loud.app);
  startWatch(LIMITS);
  await psql(
    "CREATE TABLE v (f text STORAGE EXTERNAL); INSERT INTO v SELECT repeat('x', 9000) FROM generate_series(1, 40000);",
  );
  expect(await untilStopped(loud)).toMatch(/its database .* grew to .*, and a database may have 300 MiB/);
  expect(await psql("SELECT count(*) FROM v;")).toBe("40000");
});

it("files in a container's memory file system count as memory, and not as disk", async () => {
  const app = newApp("shm");
  apps.push(app);
  const command = ["sh", "-c", "dd if=/dev/zero of=/dev/shm/fill bs=1M count=60 && sleep 1000"];
  const memoryBytes = 32 * MIB;
  const { id } = await engine.run(nodeContainer(app, "", { image: "debian:bookworm-slim", command, memoryBytes }));
  const read = () => engine.list({ appId: app.id }).then(([container]) => container);
  // The engine may tell why a moment after the end.
  const isKilled = (container: ContainerState | undefined): boolean => container?.outOfMemory ?? false;
  const ended = await eventually(read, isKilled, { what: "the container reaches its memory limit" });
  expect(ended).toMatchObject({ id, state: "exited" });
});
