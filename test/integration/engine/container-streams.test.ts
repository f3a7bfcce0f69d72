import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestEngine, newApp } from "../../support/engine/docker.ts";

const testEngine = createTestEngine();
const { engine } = testEngine;
let id: string;

beforeAll(async () => {
  const app = newApp();
  const deployId = newId();
  const image = await testEngine.makeImage(app, deployId, "setInterval(() => {}, 1000)");
  const container = await engine.run({
    app,
    role: "app",
    deployId,
    release: "v1",
    image,
    env: {},
    port: 3000,
    memoryBytes: 256 * 1024 * 1024,
    cpuMillis: 1000,
    aliases: [],
    volumes: {},
    capabilities: [],
  });
  id = container.id;
});
afterAll(() => testEngine.cleanUp());

async function sizeOf(stream: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

test("a command's output arrives whole, without its complaints", async () => {
  const script = "console.error('complaint'); process.stdout.write('x'.repeat(3000000))";
  expect(await sizeOf(engine.execStream(id, ["node", "-e", script]))).toBe(3_000_000);
});

test("a command that fails after it has written is a failure", async () => {
  const stream = engine.execStream(id, ["node", "-e", "console.log('half'); process.exitCode = 3"]);
  await expect(sizeOf(stream)).rejects.toMatchObject({
    code: "internal",
    message: expect.stringMatching(/exit code 3/),
  });
});

test("a path of a container that runs, or is stopped, is a tar archive; one that is not there is not found", async () => {
  expect((await sizeOf(engine.archive(id, "/etc/passwd"))) % 512).toBe(0);
  await engine.stop(id, 1);
  expect(await sizeOf(engine.archive(id, "/etc/passwd"))).toBeGreaterThan(1024);
  await expect(sizeOf(engine.archive(id, "/no/such/path"))).rejects.toMatchObject({ code: "not_found" });
});
