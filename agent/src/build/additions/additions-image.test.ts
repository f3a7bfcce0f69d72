import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Addition } from "./addition.ts";
import { makeAdditionsImage } from "./additions-image.ts";

/** An engine that answers so, and a file to hand over to it that is larger than what a pipe takes. */
async function importing(answer: "refuses" | "is silent", signal: AbortSignal, kind: Addition["kind"]) {
  const directory = await mkdtemp(join(tmpdir(), "svc-additions-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const engine = createServer((_request, response) => {
    if (answer === "refuses") response.writeHead(500).end(JSON.stringify({ message: "no room" }));
  }).listen(join(directory, "socket"));
  onTestFinished(() => void engine.close());
  await once(engine, "listening");
  await mkdir(join(directory, "folder"));
  const path = join(directory, "folder", "file");
  const bytes = 8 * 1024 ** 2;
  await writeFile(path, Buffer.alloc(bytes));
  const paths = { file: path, folder: join(directory, "folder") };
  const addition = { kind, name: "name", path: paths[kind], bytes, files: 1, digest: "", modifiedAt: new Date(0) };
  const docker = new Docker({ socketPath: join(directory, "socket") });
  const isOpen = async (): Promise<boolean> => {
    const targets = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
    return (await Promise.all(targets)).includes(path);
  };
  return { image: makeAdditionsImage({ docker, serverId: "a", signal }, "svc/a", [addition]), isOpen };
}

describe.each(["file", "folder"] as const)("a fetched %s", (kind) => {
  test("is left open nowhere by an engine that refuses it", async () => {
    const { image, isOpen } = await importing("refuses", AbortSignal.timeout(10_000), kind);
    await expect(image).rejects.toThrow(/no room/);
    await expect.poll(isOpen, { timeout: 3000 }).toBe(false);
  });

  test("is not waited for once the build is canceled, however slowly the engine takes it", async () => {
    const { image, isOpen } = await importing("is silent", AbortSignal.timeout(200), kind);
    await expect(image).rejects.toThrow(/abort/i);
    await expect.poll(isOpen, { timeout: 3000 }).toBe(false);
  });
});
