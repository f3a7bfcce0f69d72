import { createDummyEngine, createDummyWorld } from "@svc/agent/dummy/engine.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { expect, test } from "vitest";
import { newApp } from "../support/engine/docker.ts";
import { promisesOfAnEngine } from "./engine.contract.ts";

promisesOfAnEngine(() => {
  const world = createDummyWorld();
  const engine = createDummyEngine("server", world);
  engine.knobs.log = [1, 2, 3, 4, 5].map((number) => ({ time: new Date(), text: `line ${number}` }));
  return {
    engine,
    stranger: createDummyEngine("another server", world),
    localRole: "app",
    makeImage: (app, deployId) => Promise.resolve(engine.addImage(app.id, deployId)),
    exhaustMemory: (id) => Promise.resolve(engine.exhaustMemory(id)),
    exhaustProcesses(id) {
      engine.knobs.processRefusals = (each) => (each === id ? 1 : 0);
      return Promise.resolve();
    },
    cleanUp: () => Promise.resolve(),
  };
});

test("each knob makes its failure", async () => {
  const engine = createDummyEngine();
  const app = newApp();
  const deployId = newId();
  const image = engine.addImage(app.id, deployId);
  const spec = {
    app,
    role: "app",
    deployId,
    release: "v1",
    image,
    env: {},
    port: 80,
    memoryBytes: 1,
    cpuMillis: 1,
  } as const;
  const run = () => engine.run({ ...spec, aliases: [], volumes: {}, capabilities: [] });
  engine.knobs.addressesExhausted = true;
  await expect(run()).rejects.toMatchObject({ code: "address_block_exhausted" });
  engine.knobs.diskFull = true;
  await expect(run()).rejects.toMatchObject({ code: "disk_full" });
  engine.knobs.down = true;
  await expect(run()).rejects.toMatchObject({ code: "engine_unavailable" });
  Object.assign(engine.knobs, { down: false, diskFull: false, addressesExhausted: false });
  engine.knobs.exits = { exitCode: 137, outOfMemory: true };
  expect(await run()).toMatchObject({ state: "exited", exitCode: 137, outOfMemory: true });
});
