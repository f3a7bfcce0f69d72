import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BuildHold } from "./build-caps.ts";
import type { BuildCaps, Cgroup, Cgroups } from "./build-cgroup.ts";
import { BuildProcesses } from "./build-processes.ts";

const CAPS: BuildCaps = { memoryBytes: 1000, cpuMillis: 2000, pids: 100 };

let processes: string;
beforeEach(async () => {
  processes = await mkdtemp(join(tmpdir(), "svc-proc-"));
  await makeProcess("self", []);
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(processes, { recursive: true, force: true });
});

async function makeProcess(pid: number | "self", argv: string[], children = "", namespace = "pid:[1]"): Promise<void> {
  const folder = join(processes, String(pid));
  await mkdir(join(folder, "ns"), { recursive: true });
  await symlink(namespace, join(folder, "ns/pid"));
  await mkdir(join(folder, "task", String(pid)), { recursive: true });
  await writeFile(join(folder, "cmdline"), argv.map((arg) => `${arg}\0`).join(""));
  await writeFile(join(folder, "task", String(pid), "children"), children);
}

const runc = (id: string, data = "/data"): string[] => {
  return ["runc", "--log", "x", "run", "--bundle", `${data}/buildkit/executor/${id}`, "--keep", id];
};

describe("the instructions of builds", () => {
  it("are found by what the engine started them with", async () => {
    await makeProcess(10, runc("a1"), "11 ");
    await makeProcess(11, ["/bin/sh", "-c", "npm ci"]);
    await makeProcess(20, runc("b2", "/another/engine"), "21 ");
    expect(await new BuildProcesses("/data", processes).find()).toEqual([{ id: "a1", pid: 11 }]);
  });

  it("are found on every look, also when they come after the first", async () => {
    const found = new BuildProcesses("/data", processes);
    await makeProcess(5, ["sleep"]);
    for (let look = 0; look < 3; look++) expect(await found.find()).toEqual([]);
    await makeProcess(10, runc("a1"), "11 ");
    for (let look = 0; look < 3; look++) expect(await found.find()).toHaveLength(1);
  });

  it("are never processes of a container, which chooses its own arguments", async () => {
    await makeProcess(10, runc("a1"), "11 ", "pid:[2]");
    expect(await new BuildProcesses("/data", processes).find()).toEqual([]);
  });
});

describe("a build", () => {
  const own = (path: string): Cgroup => ({ paths: { memory: path, cpu: path, pids: path }, isShared: false });
  const shared = (path: string): Cgroup => ({ ...own(path), isShared: true });

  interface World {
    hold: BuildHold;
    capped: Record<string, BuildCaps>;
    known: Map<string, Cgroup>;
  }

  async function holding(
    instructions: Record<string, Cgroup | undefined>,
    { areRequired = true, known = new Map(), ...changes }: Partial<Cgroups> & Partial<WorldOptions> = {},
  ): Promise<World> {
    const ids = Object.keys(instructions);
    for (const [index, id] of ids.entries()) await makeProcess(100 + 2 * index, runc(id), `${101 + 2 * index} `);
    const capped: World["capped"] = {};
    const cgroups: Cgroups = {
      find: async ({ id }) => instructions[id],
      cap: async (group, caps) => {
        capped[group.paths.memory] = caps;
        return [];
      },
      processes: async () => [1],
      memoryBytes: async () => 0,
      refusal: async () => undefined,
      ...changes,
    };
    const finder = new BuildProcesses("/data", processes);
    const hold = new BuildHold({ cgroups, processes: finder, caps: CAPS, areRequired, known, log: silentLogger });
    return { hold, capped, known };
  }
  interface WorldOptions {
    areRequired: boolean;
    known: Map<string, Cgroup>;
  }

  const refused = {
    code: "build_caps_unavailable",
    message: expect.stringMatching(/memory: EACCES.*SVC_BUILD_CAPS=off/),
  };

  it("is held in the group where its instructions are, which the next build finds capped beforehand", async () => {
    const first = await holding({ a1: shared("/foo/buildkit") });
    await first.hold.prepare();
    expect(await first.hold.look(true)).toEqual([1]);
    expect(first.capped["/foo/buildkit"]).toEqual(CAPS);
    const second = await holding({}, { known: first.known });
    await second.hold.prepare();
    expect(second.capped["/foo/buildkit"]).toEqual(CAPS);
  });

  it("is refused before it begins where the caps can't be set", async () => {
    const unwritable = await holding({}, { refusal: async () => "memory: EACCES" });
    await expect(unwritable.hold.prepare()).rejects.toMatchObject(refused);
    const known = new Map([["/docker/buildkit", shared("/docker/buildkit")]]);
    const refusing = await holding({}, { known, cap: async () => ["memory: EACCES"] });
    await expect(refusing.hold.prepare()).rejects.toMatchObject(refused);
  });

  it("is ended when an instruction's group can't be capped", async () => {
    const { hold } = await holding({ a1: own("/system.slice:docker:a1") }, { cap: async () => ["memory: EACCES"] });
    await hold.prepare();
    await expect(hold.look(true)).rejects.toMatchObject(refused);
    expect(hold.isHeld).toBe(false);
  });

  it.each([
    ["are not on this host", {}],
    ["never get a group of their own", { a1: undefined }],
  ])("is ended when its processes %s", async (_why, instructions) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { hold } = await holding(instructions);
    await hold.look(true);
    vi.advanceTimersByTime(9_000);
    await hold.look(true);
    await hold.look(false);
    vi.advanceTimersByTime(9_000);
    await hold.look(true);
    vi.advanceTimersByTime(11_000);
    await expect(hold.look(true)).rejects.toMatchObject({
      code: "build_caps_unavailable",
      message: expect.stringMatching(/none of its processes can be seen/),
    });
  });

  it("is ended when a later instruction is not found, and the first had a group of its own", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { hold } = await holding({ a1: own("/system.slice:docker:a1") });
    await hold.look(true);
    await rm(join(processes, "100"), { recursive: true });
    await hold.look(true);
    vi.advanceTimersByTime(11_000);
    await expect(hold.look(true)).rejects.toMatchObject({ code: "build_caps_unavailable" });
  });

  it("goes on when a later instruction is not found, and all run in one group", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { hold } = await holding({ a1: shared("/docker/buildkit") });
    await hold.look(true);
    await rm(join(processes, "100"), { recursive: true });
    await hold.look(true);
    vi.advanceTimersByTime(11_000);
    expect(await hold.look(true)).toEqual([]);
  });

  it("goes on without caps where the operator has said so, and its memory is not said to be limited", async () => {
    const { hold } = await holding(
      { a1: shared("/docker/buildkit") },
      { areRequired: false, cap: async () => ["memory: EACCES"] },
    );
    await hold.prepare();
    await hold.look(true);
    expect(hold.isHeld).toBe(false);
  });

  const twoGroups = { a1: own("/system.slice:docker:a1"), b2: own("/system.slice:docker:b2") };

  it("has processors and processes in sum where each instruction has a group of its own", async () => {
    const { hold, capped } = await holding(twoGroups);
    await hold.look(true);
    const half = { memoryBytes: 1000, cpuMillis: 1000, pids: 50 };
    expect(capped).toEqual({ "/system.slice:docker:a1": half, "/system.slice:docker:b2": half });
  });

  it("is ended when its instructions together take more memory than one may", async () => {
    const { hold } = await holding(twoGroups, { memoryBytes: async () => 600 });
    await expect(hold.look(true)).rejects.toMatchObject({ code: "build_out_of_memory" });
  });
});
