import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clonesFolder, removeStaleClones } from "./clones.ts";

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-clones-"));
});
afterEach(() => rm(dataDirectory, { recursive: true }));

test("only the clone of the deploy that holds the lock outlives a restart", async () => {
  await removeStaleClones(dataDirectory, "current");
  for (const name of ["old", "current"]) await mkdir(join(clonesFolder(dataDirectory), name, "x"), { recursive: true });
  await removeStaleClones(dataDirectory, "current");
  expect(await readdir(clonesFolder(dataDirectory))).toEqual(["current"]);
  await removeStaleClones(dataDirectory, undefined);
  expect(await readdir(clonesFolder(dataDirectory))).toEqual([]);
});
