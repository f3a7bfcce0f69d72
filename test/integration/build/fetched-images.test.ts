import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FetchedImages } from "@svc/agent/build/additions/fetched-images.ts";
import { fetchImage } from "@svc/agent/engine/images.ts";
import { DEFAULT_WATERMARKS } from "@svc/agent/build/limits/build-watermarks.ts";
import { createHost } from "@svc/agent/host/host.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { createOwnerBuilds, type OwnerBuilds } from "../../support/engine/owner-builds.ts";
import { startRegistry, type RegistryDouble } from "../../support/doubles/registry-double.ts";

const PUBLIC = { outbound: { allowCidrs: ["127.0.0.0/8"], caPem: "", dnsServers: [] } };
const DAY_MS = 24 * 60 * 60_000;

let builds: Builds;
let registry: RegistryDouble;
const used: OwnerBuilds[] = [];
const names: string[] = [];

beforeAll(async () => {
  builds = await startBuilds();
  registry = await startRegistry();
});
afterAll(async () => {
  for (const owners of used) await owners.cleanUp();
  for (const name of names)
    await builds.docker
      .getImage(name)
      .remove()
      .catch(() => undefined);
  await builds?.cleanUp();
  registry?.close();
});

async function image(config?: object): Promise<string> {
  const name = await registry.add(`base-${newId().toLowerCase()}`, { hello: newId() }, config);
  names.push(name);
  return name;
}

/** An agent of its own, whose clock stands so many days ahead. */
async function agent({
  bytesMax,
  host = createHost(),
}: { bytesMax?: number; host?: ReturnType<typeof createHost> } = {}) {
  const days = { ahead: 0 };
  const clock = { ...systemClock, now: () => new Date(Date.now() + days.ahead * DAY_MS) };
  const path = join(builds.dataDirectory, `${newId()}.json`);
  const options = { docker: builds.docker, path, clock, log: silentLogger, ...(bytesMax ? { bytesMax } : {}) };
  const fetchedImages = new FetchedImages(options);
  const owners = await createOwnerBuilds(builds.engineWith({ fetchedImages, host }));
  used.push(owners);
  const build = (base: string) =>
    owners.build(newApp(), { Dockerfile: `FROM scratch\nCOPY --from=${base} /hello /\n` }, PUBLIC);
  return { days, owners, build, path };
}

async function isThere(name: string): Promise<boolean> {
  return builds.docker
    .getImage(name)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

test("an image of a registry is fetched and built from, and the next build has it", async () => {
  const [base, { owners }] = [await image({ Env: ["A=b"] }), await agent()];
  const files = { Dockerfile: `FROM debian:bookworm-slim\nCOPY --from=${base} /hello /\nRUN cat /hello\n` };
  await owners.build(newApp(), files, PUBLIC);
  const asked = registry.asked.length;
  expect(asked).toBeGreaterThan(0);
  await owners.build(newApp(), files, PUBLIC);
  expect(registry.asked.length).toBe(asked);
});

test("a trigger of an image of a registry that runs something is refused", async () => {
  const [base, { owners }] = [await image({ OnBuild: ["RUN id"] }), await agent()];
  const { error } = await owners.refusal(newApp(), `FROM ${base}\n`, PUBLIC);
  expect(error.message).toMatch(/^Line 1 of the Dockerfile, FROM: .*has the trigger ONBUILD "RUN id"/);
});

test("an image that could not be fetched is not remembered", async () => {
  const [base, { build, path }] = [await image(), await agent()];
  await expect(build(base.replace("base-", "missing-"))).rejects.toMatchObject({ code: "base_image_unavailable" });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual([]);
  await build(base);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject([{ name: base, ownerId: expect.any(String) }]);
});

test("a stage that is not reached fetches nothing and may fail", async () => {
  const [base, { owners }] = [await image(), await agent()];
  const asked = registry.asked.length;
  const missing = base.replace("base-", "missing-");
  await owners.build(
    newApp(),
    { Dockerfile: `FROM ${base}\nADD http://127.0.0.1:1/a /\nFROM ${missing}\nFROM debian:bookworm-slim\n` },
    PUBLIC,
  );
  expect(registry.asked.length).toBe(asked);
});

test("an image that no build has used for two weeks goes, and one that was there before never does", async () => {
  const [old, used, kept] = [await image(), await image(), await image()];
  await fetchImage({ docker: builds.docker, log: silentLogger }, kept, AbortSignal.timeout(10_000));
  const { days, build } = await agent();
  for (const base of [old, used, kept]) await build(base);
  days.ahead = 10;
  await build(used);
  days.ahead = 15;
  await build(used);
  expect(await Promise.all([old, used, kept].map(isThere))).toEqual([false, true, true]);
});

test("the least recently used image goes first when more bytes are there than may be kept", async () => {
  const [first, second] = [await image(), await image()];
  const { build } = await agent({ bytesMax: 60 });
  await build(first);
  expect(await isThere(first)).toBe(true);
  await build(second);
  expect(await Promise.all([first, second].map(isThere))).toEqual([false, true]);
});

test("they go before a build is refused for the disk, and one that a container uses stays", async () => {
  const [base, busy] = [await image(), await image()];
  const real = createHost();
  let isFull = false;
  const host = {
    ...real,
    disk: async (path: string) => {
      const disk = await real.disk(path);
      return isFull ? { ...disk, availableBytes: DEFAULT_WATERMARKS.diskBytesMin - 1 } : disk;
    },
  };
  const { build } = await agent({ host });
  await build(base);
  await build(busy);
  const container = await builds.docker.createContainer({ Image: busy, Cmd: ["/hello"] });
  isFull = true;
  try {
    await expect(build(busy)).rejects.toMatchObject({ code: "disk_full" });
    expect(await Promise.all([base, busy].map(isThere))).toEqual([false, true]);
  } finally {
    await container.remove();
  }
});
