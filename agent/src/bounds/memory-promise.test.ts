import { newId } from "@svc/shared/rules/ids.ts";
import { expect, test } from "vitest";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import type { AppRef, ContainerSpec } from "../ports.ts";
import { createMemoryPromise } from "./memory-promise.ts";

const MIB = 1024 ** 2;

/** A host that may promise that much, 512 MiB being kept for the daemons. */
function hostWith(promisableMib: number, engine: DummyEngine = createDummyEngine()) {
  const totalBytes = (promisableMib + 512) * MIB;
  const promise = createMemoryPromise(engine, () => Promise.resolve(totalBytes));
  return {
    engine,
    promise,
    deploy: (app: AppRef, mib: number) => promise.engine.run(specOf(engine, app, "app", mib)),
    addDatabase: (app: AppRef, mib: number) => promise.engine.run(specOf(engine, app, "database", mib)),
  };
}

const newApp = (name = "shop"): AppRef => ({ id: newId(), name });
const refusal = { code: "server_memory_full" };

test("a container that would exceed the host's memory is refused with what is promised, asked and there", async () => {
  const { deploy, engine } = hostWith(1000);
  await deploy(newApp(), 600);
  await expect(deploy(newApp("blog"), 401)).rejects.toMatchObject({
    ...refusal,
    message: expect.stringMatching(/^The app blog asks for 401 MiB .* 600 MiB of the server's 1000 MiB /),
  });
  expect(await engine.list({})).toHaveLength(1);
  await deploy(newApp("blog"), 400);
});

test("an app's database counts beside its app, and the old and the new container of a deploy count once", async () => {
  const { deploy, addDatabase } = hostWith(1000);
  const app = newApp();
  await addDatabase(app, 400);
  await deploy(app, 500);
  await deploy(app, 600);
  await expect(deploy(app, 601)).rejects.toMatchObject(refusal);
  await expect(deploy(newApp(), 1)).rejects.toMatchObject(refusal);
});

test("no more containers are made at once than the memory holds", async () => {
  const { deploy, engine } = hostWith(1000);
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => deploy(newApp(), 400)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(await engine.list({})).toHaveLength(2);
});

test("a container that is still being made counts already", async () => {
  const engine = createDummyEngine();
  const run = engine.run.bind(engine);
  let make = (): void => undefined;
  const isReady = new Promise<void>((resolve) => (make = resolve));
  engine.run = async (...asked) => (await isReady, run(...asked));
  const { deploy } = hostWith(1000, engine);
  const first = deploy(newApp(), 600);
  await expect(deploy(newApp(), 600)).rejects.toMatchObject(refusal);
  make();
  await first;
  await deploy(newApp(), 400);
});

test("memory for a container that could not be made is no longer promised", async () => {
  const { deploy, engine } = hostWith(1000);
  engine.knobs.diskFull = true;
  await expect(deploy(newApp(), 900)).rejects.toMatchObject({ code: "disk_full" });
  engine.knobs.diskFull = false;
  await deploy(newApp(), 900);
});

test("a stopped app keeps its promise, and a soft-stopped one, whose database alone is left, has none", async () => {
  const { deploy, addDatabase, engine } = hostWith(1000);
  const app = newApp();
  const database = await addDatabase(app, 400);
  const container = await deploy(app, 500);
  await engine.stop(container.id, 0);
  await engine.stop(database.id, 0);
  await expect(deploy(newApp(), 101)).rejects.toMatchObject(refusal);
  await engine.remove(container.id);
  await deploy(newApp(), 700);
  // It comes back with the database that it has, which needs its memory again.
  await expect(addDatabase(app, 400)).rejects.toMatchObject(refusal);
});

test("a host that has promised too much starts no stopped app, and lets the others be deployed with what they have", async () => {
  const { deploy, engine, promise } = hostWith(1000);
  const app = newApp();
  await deploy(app, 900);
  await promise.requireKept("shop");
  const [container] = await engine.list({});
  // The app looks as if it had been made before anything was counted.
  await engine.run(specOf(engine, newApp("old"), "app", 200));
  await expect(promise.requireKept("shop")).rejects.toMatchObject({
    ...refusal,
    message: expect.stringMatching(/1100 MiB .* it has 1000 MiB/),
  });
  await deploy(app, 900);
  expect(container?.state).toBe("running");
});

function specOf(engine: DummyEngine, app: AppRef, role: "app" | "database", mib: number): ContainerSpec {
  const deployId = role === "app" ? newId() : undefined;
  const image = deployId === undefined ? "postgres:16" : engine.addImage(app.id, deployId);
  const rest = { release: undefined, env: {}, port: 80, cpuMillis: 100, aliases: [], volumes: {}, capabilities: [] };
  return { app, role, deployId, image, memoryBytes: mib * MIB, ...rest };
}
