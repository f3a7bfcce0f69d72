import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import Docker, { type ContainerCreateOptions } from "dockerode";
import { expect, test, vi } from "vitest";
import { createBounded } from "./bounded-layer.ts";

/** An engine that refuses a body for a reason, and what it was asked. */
function engine(refuse: (body: ContainerCreateOptions) => string | undefined) {
  const asked: (object | undefined)[] = [];
  const docker = new Docker();
  vi.spyOn(docker, "createContainer").mockImplementation(async (body: ContainerCreateOptions) => {
    asked.push(body.HostConfig?.StorageOpt);
    const reason = refuse(body);
    if (reason !== undefined) throw Object.assign(new Error(reason), { statusCode: 500, json: { message: reason } });
    return docker.getContainer("c");
  });
  const layer = { bytesMax: 1000, isEnforceable: true };
  return { asked, layer, ctx: { docker, layer, log } };
}

const LIMIT = { size: "1000" };
const body = { Image: "i", HostConfig: { Memory: 1 } };

test("an engine that can limits every container's layer", async () => {
  const { ctx, asked, layer } = engine(() => undefined);
  await createBounded(ctx, body);
  await createBounded(ctx, body);
  expect(asked).toEqual([LIMIT, LIMIT]);
  expect(layer.isEnforceable).toBe(true);
});

test("an engine that can't is asked once, and makes the container all the same", async () => {
  const only = "--storage-opt is supported only for overlay over xfs with 'pquota' mount option";
  const { ctx, asked } = engine(({ HostConfig }) => (HostConfig?.StorageOpt ? only : undefined));
  await createBounded(ctx, body);
  await createBounded(ctx, body);
  expect(asked).toEqual([LIMIT, undefined, undefined]);
});

test("a failure that comes once leaves the limit to those that are made later", async () => {
  let failures = 1;
  const { ctx, asked, layer } = engine(() => (failures-- > 0 ? "Conflict. The name is in use" : undefined));
  await expect(createBounded(ctx, body)).rejects.toThrow("The name is in use");
  await createBounded(ctx, body);
  expect(asked).toEqual([LIMIT, LIMIT]);
  expect(layer.isEnforceable).toBe(true);
});

test("a container that the engine refuses for another reason says nothing of limits", async () => {
  const { ctx, layer } = engine(() => "no command specified");
  await expect(createBounded(ctx, body)).rejects.toThrow("no command specified");
  expect(layer.isEnforceable).toBe(true);
});
