import { once } from "node:events";
import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { expect, onTestFinished, test } from "vitest";
import { makeAdditionsImage } from "./additions-image.ts";

/** An engine that answers so, and a file to hand over to it that is larger than what a pipe takes. */
async function importing(answer: "refuses" | "is silent", signal: AbortSignal) {
  const directory = await mkdtemp(join(tmpdir(), "svc-additions-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const engine = createServer((_request, response) => {
    if (answer === "refuses") response.writeHead(500).end(JSON.stringify({ message: "no room" }));
  }).listen(join(directory, "socket"));
  onTestFinished(() => void engine.close());
  await once(engine, "listening");
  const path = join(directory, "file");
  const bytes = 8 * 1024 ** 2;
  await writeFile(path, Buffer.alloc(bytes));
  const file = { name: "file", path, bytes, sha256: "", modifiedAt: new Date(0) };
  const docker = new Docker({ socketPath: join(directory, "socket") });
  const isOpen = async (): Promise<boolean> => {
    const targets = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
    return (await Promise.all(targets)).includes(path);
  };
  return { image: makeAdditionsImage({ docker, serverId: "a", signal }, "svc/a", [file]), isOpen };
}

test("an engine that refuses what was fetched leaves no file open", async () => {
  const { image, isOpen } = await importing("refuses", AbortSignal.timeout(10_000));
  await expect(image).rejects.toThrow(/no room/);
  await expect.poll(isOpen, { timeout: 3000 }).toBe(false);
});

test("a build that is canceled does not wait for the engine to take what was fetched", async () => {
  const { image, isOpen } = await importing("is silent", AbortSignal.timeout(200));
  await expect(image).rejects.toThrow(/abort/i);
  await expect.poll(isOpen, { timeout: 3000 }).toBe(false);
});
