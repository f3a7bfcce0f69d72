import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "@svc/shared/logger.ts";
import { boundDirtyPages } from "./bound-dirty-pages.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "dirty-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("what waits in memory for the disk", () => {
  async function bounded(before: { most: string; background: string }): Promise<string[]> {
    const files = [join(directory, "dirty_bytes"), join(directory, "dirty_background_bytes")] as const;
    await writeFile(files[0], before.most);
    await writeFile(files[1], before.background);
    await boundDirtyPages(silentLogger, directory);
    return Promise.all(files.map((file) => readFile(file, "utf8")));
  }

  it("is bounded where the kernel's share of the memory holds", async () => {
    expect(await bounded({ most: "0\n", background: "0\n" })).toEqual(["134217728", "33554432"]);
  });

  it.each([
    { most: "1073741824\n", background: "0\n" },
    { most: "0\n", background: "1048576\n" },
  ])("stays as the operator has set it: $most, $background", async (chosen) => {
    expect(await bounded(chosen)).toEqual([chosen.most, chosen.background]);
  });

  it("is left to the operator where it can't be set", async () => {
    await expect(boundDirtyPages(silentLogger, join(directory, "none"))).resolves.toBeUndefined();
  });

  it("is bounded in the kernel itself", async () => {
    await boundDirtyPages(silentLogger);
    const files = ["dirty_bytes", "dirty_background_bytes"].map((name) => readFile(join("/proc/sys/vm", name), "utf8"));
    expect((await Promise.all(files)).map(Number).some((bytes) => bytes > 0)).toBe(true);
  });
});
