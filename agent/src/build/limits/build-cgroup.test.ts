import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCgroups, type Cgroup } from "./build-cgroup.ts";

const CAPS = { memoryBytes: 1024 ** 3, cpuMillis: 1500, pids: 100 };

const at = (memory: string, others = memory): Cgroup["paths"] => ({ memory, cpu: others, pids: others });
const GROUP: Cgroup = { paths: at("/docker/buildkit"), isShared: true };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-cgroup-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
const unify = (): Promise<void> => writeFile(join(root, "cgroup.controllers"), "cpu memory pids");

describe("the caps of builds", () => {
  it("are set in the unified hierarchy, with the controllers handed down to it", async () => {
    await unify();
    expect(await createCgroups(root).cap(GROUP, CAPS)).toEqual([]);
    expect(await read("cgroup.subtree_control")).toBe("+memory +cpu +pids");
    expect(await read("docker/cgroup.subtree_control")).toBe("+memory +cpu +pids");
    const group = "docker/buildkit";
    expect(await read(`${group}/memory.max`)).toBe(String(1024 ** 3));
    expect(await read(`${group}/cpu.max`)).toBe("150000 100000");
    expect(await read(`${group}/pids.max`)).toBe("100");
  });

  it("are set in each hierarchy of the older kind", async () => {
    expect(await createCgroups(root).cap(GROUP, CAPS)).toEqual([]);
    expect(await read("memory/docker/buildkit/memory.limit_in_bytes")).toBe(String(1024 ** 3));
    expect(await read("cpu/docker/buildkit/cpu.cfs_quota_us")).toBe("150000");
    expect(await read("pids/docker/buildkit/pids.max")).toBe("100");
  });

  it("make no group anew whose instruction has ended", async () => {
    const ended: Cgroup = { paths: at("/system.slice:docker:a1"), isShared: false };
    expect(await createCgroups(root).cap(ended, CAPS)).toContainEqual(expect.stringMatching(/^pids: ENOENT/));
    expect(await readdir(root)).toEqual([]);
  });

  it("that cannot be set are told, and the others hold", async () => {
    await mkdir(join(root, "memory/docker/buildkit/memory.limit_in_bytes"), { recursive: true });
    expect(await createCgroups(root).cap(GROUP, CAPS)).toEqual([expect.stringMatching(/^memory: EISDIR/)]);
    expect(await read("pids/docker/buildkit/pids.max")).toBe("100");
  });

  it("count the processes of all instructions", async () => {
    const cgroups = createCgroups(root);
    expect(await cgroups.processes(GROUP)).toEqual([]);
    for (const [name, procs] of [
      ["a", "1\n2\n"],
      ["b/init", "3\n"],
    ] as const) {
      await mkdir(join(root, "pids/docker/buildkit", name), { recursive: true });
      await writeFile(join(root, "pids/docker/buildkit", name, "cgroup.procs"), procs);
    }
    expect(await cgroups.processes(GROUP)).toEqual([1, 2, 3]);
  });
});

describe("the group that is capped for an instruction", () => {
  async function find(...cgroupFile: string[]): Promise<Cgroup | undefined> {
    await mkdir(join(root, "proc/7"), { recursive: true });
    await writeFile(join(root, "proc/7/cgroup"), `${cgroupFile.join("\n")}\n`);
    return createCgroups(root, join(root, "proc")).find({ id: "a1", pid: 7 });
  }

  it("holds all builds where the engine makes groups itself, below whatever parent it has", async () => {
    await unify();
    expect(await find("0::/foo/bar/buildkit/a1")).toEqual({ paths: at("/foo/bar/buildkit"), isShared: true });
  });

  it("is the instruction's own under systemd, in each hierarchy where its process is", async () => {
    const own = "/system.slice:docker:a1";
    const lines = [`9:pids:${own}`, `4:memory:/vm${own}`, `3:cpu,cpuacct:${own}`, `0::/else`];
    expect(await find(...lines)).toEqual({ paths: at(`/vm${own}`, own), isShared: false });
    await unify();
    const slice = "/system.slice/system.slice:docker:a1";
    expect(await find(`0::${slice}`)).toEqual({ paths: at(slice), isShared: false });
  });

  it.each(["/system.slice/docker.service", "/", "/../a1/.."])("is never the engine's own group %s", async (path) => {
    await unify();
    expect(await find(`0::${path}`)).toBeUndefined();
  });

  it("is unknown where a controller is missing", async () => {
    expect(await find("4:memory:/docker/buildkit/a1", "3:cpu:/docker/buildkit/a1")).toBeUndefined();
  });
});

it("memory in use is that of processes, not of files that the kernel drops first", async () => {
  const cgroups = createCgroups(root);
  await mkdir(join(root, "memory/docker/buildkit"), { recursive: true });
  const stat = "cache 900\nrss 1\ntotal_cache 900\ntotal_rss 70\ntotal_shmem 5\n";
  await writeFile(join(root, "memory/docker/buildkit/memory.stat"), stat);
  expect(await cgroups.memoryBytes(GROUP)).toBe(75);
});
