import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limitDiskBacklog } from "./disk-backlog.ts";

const run = promisify(execFile);

let sys: string;

beforeEach(async () => {
  sys = await mkdtemp(join(tmpdir(), "sys-"));
});
afterEach(() => rm(sys, { recursive: true }));

/** A kernel's folders of the disk that a directory of this test lies on, as the whole disk or as its first partition. */
async function showDisk(kind: "disk" | "partition", strict = "0"): Promise<string> {
  const numbers = await run("stat", ["--format", "%Hd:%Ld", sys]).then(({ stdout }) => stdout.trim());
  const settings = join(sys, "devices/virtual/bdi/settings");
  const disk = join(sys, "devices/block/vda");
  const device = kind === "disk" ? disk : join(disk, "vda1");
  for (const folder of [settings, device, join(sys, "dev/block")]) await mkdir(folder, { recursive: true });
  await symlink(device, join(sys, "dev/block", numbers));
  await symlink(settings, join(disk, "bdi"));
  await writeFile(join(settings, "strict_limit"), `${strict}\n`);
  await writeFile(join(settings, "max_bytes"), "33554432\n");
  return settings;
}

const read = async (settings: string): Promise<Record<string, string>> => ({
  strict: (await readFile(join(settings, "strict_limit"), "utf8")).trim(),
  bytes: (await readFile(join(settings, "max_bytes"), "utf8")).trim(),
});

describe("what waits in memory for the engine's disk", () => {
  it.each(["disk", "partition"] as const)("is bounded where the directory lies on a %s", async (kind) => {
    const settings = await showDisk(kind);
    expect(await limitDiskBacklog(sys, sys)).toBe(true);
    expect(await read(settings)).toEqual({ strict: "1", bytes: "4194304" });
  });

  it("stays as an operator has bounded it", async () => {
    const settings = await showDisk("disk", "1");
    expect(await limitDiskBacklog(sys, sys)).toBe(true);
    expect(await read(settings)).toEqual({ strict: "1", bytes: "33554432" });
  });

  it("is said to be unbounded by a kernel that knows no such bound, and on no disk", async () => {
    const settings = await showDisk("disk");
    await rm(join(settings, "strict_limit"));
    expect(await limitDiskBacklog(sys, sys)).toBe(false);
    expect(await limitDiskBacklog("/proc")).toBe(false);
    expect(await limitDiskBacklog("/nonexistent")).toBe(false);
  });
});
