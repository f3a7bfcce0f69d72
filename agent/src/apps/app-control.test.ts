import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { expect, test } from "vitest";
import { createAppControl } from "./app-control.ts";
import { createDummyEngine } from "../dummy/engine.ts";
import { createDummyProxy } from "../dummy/proxy.ts";

test("a stopped app is neither started nor restarted while the server has promised more memory than it has", async () => {
  const [engine, proxy] = [createDummyEngine(), createDummyProxy()];
  const [app, deployId] = [{ id: newId(), name: "shop" }, newId()];
  const rest = { env: {}, port: 3000, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  const image = engine.addImage(app.id, deployId);
  const { id: containerId, address } = await engine.run({ app, role: "app", deployId, release: "v1", image, ...rest });
  const upstream = `${address}:3000`;
  await proxy.setRoutes(app.id, [{ host: "shop.test", appId: app.id, containerId, upstream, state: "serving" }]);
  const control = createAppControl({
    engine,
    proxy,
    keepLastDump: () => Promise.resolve(),
    clock: systemClock,
    log,
    requireMemory: () => Promise.reject(new SvcError("server_memory_full", "The memory is promised.")),
    drainSeconds: 0,
  });
  await control.stop(app);
  for (const begin of [control.start, control.restart]) {
    const refused = begin(app, new AbortController().signal);
    await expect(refused).rejects.toMatchObject({ code: "server_memory_full" });
  }
  expect(await engine.list({ appId: app.id })).toMatchObject([{ id: containerId, state: "exited" }]);
});
