import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { expect, test } from "vitest";
import { createDummyEngine } from "../dummy/engine.ts";
import { createDummyProxy } from "../dummy/proxy.ts";
import type { ContainerState } from "../ports.ts";
import { createRetirer } from "./retire.ts";

const app = { id: newId(), name: "shop" };

function setUp() {
  const [engine, proxy, stopping] = [createDummyEngine(), createDummyProxy(), new AbortController()];
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const retirer = createRetirer({ engine, proxy, clock, log, isBusy: () => false, drainSeconds: 0 });
  async function run(): Promise<ContainerState> {
    const deployId = newId();
    const image = engine.addImage(app.id, deployId);
    const parts = { env: {}, port: 3000, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
    return engine.run({ app, role: "app", deployId, release: "v1", image, ...parts });
  }
  const left = async () => (await engine.list({ appId: app.id })).map(({ id }) => id);
  return { engine, retirer, stopping, run, left };
}

const gone = () => Promise.reject(new SvcError("engine_unavailable", "It is gone."));

test("a replaced container is removed although the engine was away at first", async () => {
  const { engine, retirer, stopping, run, left } = setUp();
  await run();
  const { remove } = engine;
  let asked = 0;
  engine.remove = (id) => (++asked < 3 ? gone() : remove(id));
  await retirer.retire(app, stopping.signal);
  expect(await left()).toEqual([]);
  expect(asked).toBe(3);
});

test("a retirement that fails ends with the agent, and with the app's next one", async () => {
  const { engine, retirer, stopping, run, left } = setUp();
  await run();
  const { remove } = engine;
  engine.remove = gone;
  const former = retirer.retire(app, stopping.signal);
  engine.remove = remove;
  await retirer.retire(app, stopping.signal);
  await former;
  expect(await left()).toEqual([]);

  const stays = await run();
  engine.remove = () => (stopping.abort(), gone());
  await retirer.retire(app, stopping.signal);
  expect(await left()).toEqual([stays.id]);
});
