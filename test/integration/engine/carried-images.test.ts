import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import type { AppRef, Engine } from "@svc/agent/ports.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { createTestEngine, newApp, nodeContainer } from "../../support/engine/docker.ts";

const { engine, docker, again, makeImage, cleanUp } = createTestEngine();
const [serverId, names] = [newId(), new HostNames(newId())];
/** Another host, with the same engine. */
const other = again({ serverId, names });
const app = newApp();
const deployId = newId();

afterAll(async () => {
  for (const { deployId: id } of await other.images(app.id)) await other.removeImages(app.id, id);
  const filters = { label: [`svc.server=${serverId}`] };
  for (const { Id } of await docker.listContainers({ all: true, filters }))
    await docker.getContainer(Id).remove({ force: true });
  for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove();
  await cleanUp();
});

async function carry(digest: string, to: Engine = other, of: AppRef = app): Promise<void> {
  await to.loadImage(engine.saveImage(digest, app), { digest, app: of, tag: "carried" });
}

test("an image that another host has built is none of this host's until it was carried", async () => {
  const digest = await makeImage(app, deployId, "process.exit(0)");
  const spec = { image: digest, deployId: newId(), app };
  await expect(other.run(nodeContainer(app, "", spec))).rejects.toMatchObject({ code: "not_found" });
  expect(await other.images(app.id)).toEqual([]);

  await carry(digest);
  expect(await other.images(app.id)).toMatchObject([{ digest, deployId }]);
  expect(await other.run(nodeContainer(app, "", spec))).toMatchObject({ imageDigest: digest });
});

test("an image is not taken for another app's, nor in the place of another image", async () => {
  const digest = await makeImage(app, newId(), "process.exit(1)");
  await expect(carry(digest, other, newApp("thief"))).rejects.toMatchObject({ code: "not_found" });
  const missing = `sha256:${"0".repeat(64)}`;
  await expect(
    other.loadImage(engine.saveImage(digest, app), { digest: missing, app, tag: "carried" }),
  ).rejects.toMatchObject({ code: "not_found" });
  await expect(buffer(other.saveImage(digest, app))).rejects.toMatchObject({ code: "not_found" });
});

test("an image that is refused does not stay", async () => {
  const digest = await makeImage(app, newId(), `process.exit(${Date.now()})`);
  const archive = await buffer(engine.saveImage(digest, app));
  await docker.getImage(digest).remove({ force: true });
  await expect(docker.getImage(digest).inspect()).rejects.toMatchObject({ statusCode: 404 });
  const thief = { digest, app: newApp("thief"), tag: "carried" };
  await expect(other.loadImage(Readable.from([archive]), thief)).rejects.toMatchObject({ code: "not_found" });
  await expect(docker.getImage(digest).inspect()).rejects.toMatchObject({ statusCode: 404 });
});

test("the names that an archive gives its image are not taken", async () => {
  const digest = await makeImage(app, newId(), "process.exit(2)");
  const repo = `svc-test-victim-${newId()}`;
  await docker.getImage(digest).tag({ repo, tag: "latest" });
  const archive = await buffer((await docker.getImage(`${repo}:latest`).get()) as Readable);
  expect(archive.includes(repo)).toBe(true);
  await docker.getImage(`${repo}:latest`).remove({ noprune: true });
  await other.loadImage(Readable.from([archive]), { digest, app, tag: "carried" });
  await expect(docker.getImage(`${repo}:latest`).inspect()).rejects.toMatchObject({ statusCode: 404 });
  expect((await other.images(app.id)).map((image) => image.digest)).toContain(digest);
});

test("an archive that breaks off is refused", async () => {
  const digest = await makeImage(app, newId(), "process.exit(3)");
  async function* broken(): AsyncGenerator<Buffer> {
    for await (const chunk of engine.saveImage(digest, app)) {
      yield Buffer.from(chunk);
      throw new Error("the link broke");
    }
  }
  await expect(other.loadImage(broken(), { digest, app, tag: "carried" })).rejects.toThrow("the link broke");
  expect((await other.images(app.id)).map((image) => image.digest)).not.toContain(digest);
});
