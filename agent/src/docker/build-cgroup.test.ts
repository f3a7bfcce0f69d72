import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildCgroup } from "./build-cgroup.ts";

const CAPS = { memoryBytes: 1024 ** 3, cpuMillis: 1500, pids: 100 };

const inForce = { groups: 1, isMemoryCapped: true, failures: [] };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-cgroup-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("the caps of builds", () => {
  it("are set in the unified hierarchy, with the controllers handed down to it", async () => {
    await writeFile(join(root, "cgroup.controllers"), "cpu memory pids");
    expect(await buildCgroup("cgroupfs", root).apply(CAPS)).toEqual(inForce);
    const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
    expect(await read("cgroup.subtree_control")).toBe("+memory +cpu +pids");
    expect(await read("docker/cgroup.subtree_control")).toBe("+memory +cpu +pids");
    const group = "docker/buildkit";
    expect(await read(`${group}/memory.max`)).toBe(String(1024 ** 3));
    expect(await read(`${group}/cpu.max`)).toBe("150000 100000");
    expect(await read(`${group}/pids.max`)).toBe("100");
  });

  it("are set in each hierarchy of the older kind", async () => {
    expect(await buildCgroup("cgroupfs", root).apply(CAPS)).toEqual(inForce);
    expect(await readFile(join(root, "memory/docker/buildkit/memory.limit_in_bytes"), "utf8")).toBe(String(1024 ** 3));
    expect(await readFile(join(root, "cpu/docker/buildkit/cpu.cfs_quota_us"), "utf8")).toBe("150000");
    expect(await readFile(join(root, "pids/docker/buildkit/pids.max"), "utf8")).toBe("100");
  });

  it("that cannot be set are told, and the others hold", async () => {
    await mkdir(join(root, "memory/docker/buildkit/memory.limit_in_bytes"), { recursive: true });
    const { failures, isMemoryCapped } = await buildCgroup("cgroupfs", root).apply(CAPS);
    expect(isMemoryCapped).toBe(false);
    expect(failures).toEqual([expect.stringMatching(/^memory: EISDIR/)]);
    expect(await readFile(join(root, "pids/docker/buildkit/pids.max"), "utf8")).toBe("100");
  });

  it("count the processes of all instructions", async () => {
    const cgroup = buildCgroup("cgroupfs", root);
    expect(await cgroup.processes()).toEqual([]);
    for (const [name, procs] of [
      ["a", "1\n2\n"],
      ["b/init", "3\n"],
    ] as const) {
      await mkdir(join(root, "pids/docker/buildkit", name), { recursive: true });
      await writeFile(join(root, "pids/docker/buildkit", name, "cgroup.procs"), procs);
    }
    expect(await cgroup.processes()).toEqual([1, 2, 3]);
  });

  it.each([
    ["the unified hierarchy", "", "system.slice/system.slice:docker:a1", "memory.max"],
    ["the older hierarchies", "memory", "system.slice:docker:a1", "memory.limit_in_bytes"],
  ])("are set on each instruction's own group under systemd, in %s", async (_name, base, group, file) => {
    if (base === "") await writeFile(join(root, "cgroup.controllers"), "cpu memory pids");
    const cgroup = buildCgroup("systemd", root);
    expect(await cgroup.apply(CAPS)).toEqual({ groups: 0, isMemoryCapped: false, failures: [] });
    for (const controller of base === "" ? [""] : ["memory", "cpu", "pids"]) {
      await mkdir(join(root, controller, group), { recursive: true });
      await writeFile(join(root, controller, group, "cgroup.procs"), "7\n");
    }
    expect(await cgroup.apply(CAPS)).toEqual(inForce);
    expect(await readFile(join(root, base, group, file), "utf8")).toBe(String(1024 ** 3));
    expect(await cgroup.processes()).toEqual([7]);
  });
});
