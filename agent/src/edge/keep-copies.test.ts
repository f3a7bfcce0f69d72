import { silentLogger } from "@svc/shared/platform/logger.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { expect, onTestFinished, test } from "vitest";
import { createDummyProxy } from "../dummy/proxy.ts";
import type { ContainerCopy, ContainerState } from "../ports.ts";
import { keepCopies } from "./keep-copies.ts";

/** A copy that serves is asked every 1.5 s, and twice. */
const PATIENT = { timeout: 10_000 };
const APP = { id: "app", name: "shop" };
const copy = (id: string, state: ContainerCopy["state"] = "running"): ContainerCopy => ({
  id,
  node: "node1",
  address: `10.0.0.${id}`,
  state,
});

/** Follows the copies of one container, whose route leads to copy 1 at first. */
async function following() {
  const world = { copies: [copy("1")], refusing: new Set<string>() };
  const container = (): ContainerState => ({
    id: "c",
    appId: APP.id,
    appName: APP.name,
    role: "app",
    deployId: "d",
    release: "v1",
    imageDigest: "sha256:1",
    state: "running",
    exitCode: undefined,
    outOfMemory: false,
    restartCount: 0,
    memoryBytes: 1,
    address: "10.0.0.1",
    port: 80,
    startedAt: undefined,
    copies: { wanted: 2, now: world.copies },
  });
  const proxy = createDummyProxy();
  const to = { appId: APP.id, containerId: "c", upstream: "10.0.0.1:80", state: "serving" as const };
  await proxy.setRoutes(APP.id, [{ host: "a.test", ...to, copies: [{ id: "1", address: "10.0.0.1" }] }]);
  const stop = new AbortController();
  const engine = { list: () => Promise.resolve([container()]) };
  const probe = (address: string) => Promise.resolve(world.refusing.has(address) ? "ECONNREFUSED" : undefined);
  const done = keepCopies({ engine, proxy, clock: systemClock, log: silentLogger, probe }, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  const ledTo = async () => (await proxy.routes())[0]?.copies?.map(({ id }) => id);
  return { world, ledTo };
}

test("a new copy gets requests once it listens, and one that is told to end gets no more", async () => {
  const { world, ledTo } = await following();
  world.refusing.add("10.0.0.2");
  world.copies = [copy("1"), copy("2"), copy("3", "starting"), copy("4")];
  await expect.poll(ledTo, PATIENT).toEqual(["1", "4"]);
  world.refusing.delete("10.0.0.2");
  await expect.poll(ledTo, PATIENT).toEqual(["1", "2", "4"]);
  world.copies = [copy("2")];
  await expect.poll(ledTo, PATIENT).toEqual(["2"]);
});

test("a copy that stops to answer gets no more requests, unless no other does either", async () => {
  const { world, ledTo } = await following();
  world.copies = [copy("1"), copy("2")];
  await expect.poll(ledTo, PATIENT).toEqual(["1", "2"]);
  world.refusing.add("10.0.0.1");
  await expect.poll(ledTo, PATIENT).toEqual(["2"]);
  world.refusing.add("10.0.0.2");
  world.refusing.delete("10.0.0.1");
  await expect.poll(ledTo, PATIENT).toEqual(["1"]);
});
