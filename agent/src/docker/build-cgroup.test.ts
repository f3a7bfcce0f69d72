import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildCgroup } from "./build-cgroup.ts";

const CAPS = { memoryBytes: 1024 ** 3, cpuMillis: 1500, pids: 100 };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-cgroup-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("the caps of builds", () => {
  it("are set in the unified hierarchy, with the controllers handed down to it", async () => {
    await writeFile(join(root, "cgroup.controllers"), "cpu memory pids");
    expect(await buildCgroup("system.slice:docker", root).apply(CAPS)).toEqual([]);
    const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
    expect(await read("cgroup.subtree_control")).toBe("+memory +cpu +pids");
    expect(await read("system.slice:docker/cgroup.subtree_control")).toBe("+memory +cpu +pids");
    const group = "system.slice:docker/buildkit";
    expect(await read(`${group}/memory.max`)).toBe(String(1024 ** 3));
    expect(await read(`${group}/cpu.max`)).toBe("150000 100000");
    expect(await read(`${group}/pids.max`)).toBe("100");
  });

  it("are set in each hierarchy of the older kind", async () => {
    expect(await buildCgroup("docker", root).apply(CAPS)).toEqual([]);
    expect(await readFile(join(root, "memory/docker/buildkit/memory.limit_in_bytes"), "utf8")).toBe(String(1024 ** 3));
    expect(await readFile(join(root, "cpu/docker/buildkit/cpu.cfs_quota_us"), "utf8")).toBe("150000");
    expect(await readFile(join(root, "pids/docker/buildkit/pids.max"), "utf8")).toBe("100");
  });

  it("that cannot be set are told, and the others hold", async () => {
    await mkdir(join(root, "memory/docker/buildkit/memory.limit_in_bytes"), { recursive: true });
    const failures = await buildCgroup("docker", root).apply(CAPS);
    expect(failures).toEqual([expect.stringMatching(/^memory: EISDIR/)]);
    expect(await readFile(join(root, "pids/docker/buildkit/pids.max"), "utf8")).toBe("100");
  });

  it("count the processes of all instructions", async () => {
    const cgroup = buildCgroup("docker", root);
    expect(await cgroup.processCount()).toBe(0);
    for (const [name, procs] of [
      ["a", "1\n2\n"],
      ["b/init", "3\n"],
    ] as const) {
      await mkdir(join(root, "pids/docker/buildkit", name), { recursive: true });
      await writeFile(join(root, "pids/docker/buildkit", name, "cgroup.procs"), procs);
    }
    expect(await cgroup.processCount()).toBe(3);
  });
});
