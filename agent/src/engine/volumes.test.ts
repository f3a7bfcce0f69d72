import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { expect, test } from "vitest";
import type { DockerContext } from "./context.ts";
import { ensureVolume } from "./volumes.ts";

test("a volume of a plugin, whose data is elsewhere, is never taken for a half-made one", async () => {
  const around = await mkdtemp(join(tmpdir(), "svc-volume-"));
  let removed = 0;
  const volume = { Driver: "plugin", Labels: null, Options: null, Mountpoint: join(around, "_data") };
  const docker = {
    createVolume: async () => undefined,
    getVolume: () => ({ inspect: async () => volume, remove: async () => void removed++ }),
  };
  const ctx = { docker, serverId: newId(), log } as unknown as DockerContext;
  await expect(ensureVolume(ctx, { id: newId(), name: "shop" }, "data")).rejects.toMatchObject({ code: "name_taken" });
  expect(removed).toBe(0);
  await rm(around, { recursive: true });
});
