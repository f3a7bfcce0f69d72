import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { emptyInSteps } from "./empty-in-steps.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "empty-"));
  await mkdir(join(root, "layer"));
});
afterEach(() => rm(root, { recursive: true }));

const write = (path: string, files: number): Promise<unknown> =>
  Promise.all(Array.from({ length: files }, (_, at) => writeFile(join(root, path, String(at)), "")));

it("all that a directory holds is removed, however deep it lies, and the directory stays", async () => {
  await mkdir(join(root, "layer/a/b/c"), { recursive: true });
  for (const path of ["layer", "layer/a", "layer/a/b/c"]) await write(path, 120);
  await emptyInSteps(join(root, "layer"));
  expect(await readdir(join(root, "layer"))).toEqual([]);
});

it("symbolic links are removed, and what they lead to stays", async () => {
  await mkdir(join(root, "outside"));
  await writeFile(join(root, "outside/kept"), "kept");
  await symlink(join(root, "outside"), join(root, "layer/folder"));
  await symlink(join(root, "outside/kept"), join(root, "layer/file"));
  await emptyInSteps(join(root, "layer"));
  expect(await readdir(join(root, "layer"))).toEqual([]);
  expect(await readFile(join(root, "outside/kept"), "utf8")).toBe("kept");
});

it("others get their turn after each 1,000 files, wherever they lie", async () => {
  await mkdir(join(root, "layer/a"));
  await write("layer", 1_200);
  await write("layer/a", 1_000);
  const betweenSteps = vi.fn(() => Promise.resolve());
  await emptyInSteps(join(root, "layer"), { betweenSteps });
  expect(betweenSteps).toHaveBeenCalledTimes(2);
  expect(await readdir(join(root, "layer"))).toEqual([]);
});

it("after a minute the rest stays, for the engine to remove", async () => {
  await write("layer", 100);
  await emptyInSteps(join(root, "layer"), { msMax: -1 });
  expect(await readdir(join(root, "layer"))).toHaveLength(100);
});
