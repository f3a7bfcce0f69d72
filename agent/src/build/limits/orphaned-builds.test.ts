import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findOrphanedBuilds } from "./orphaned-builds.ts";

const [ORPHAN, RUNNING, OTHERS] = ["a".repeat(25), "b".repeat(25), "c".repeat(25)];

let root: string;
let data: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-orphans-"));
  data = join(root, "docker");
  for (const name of [ORPHAN, RUNNING, "resolv.conf"]) {
    mkdirSync(join(data, "buildkit/executor", name!), { recursive: true });
  }
});
afterEach(() => rmSync(root, { recursive: true }));

function addProcess(pid: number, cgroup: string, ...argv: string[]): void {
  mkdirSync(join(root, "proc", String(pid)), { recursive: true });
  writeFileSync(join(root, "proc", String(pid), "cgroup"), `4:memory:${cgroup}\n1:name=systemd:${cgroup}\n`);
  writeFileSync(join(root, "proc", String(pid), "cmdline"), `${argv.join("\0")}\0`);
}

test.each(["/docker/buildkit/", "/system.slice:docker:", "/system.slice/docker-"])(
  "the processes of a killed engine's build are found in %s, and no others",
  async (prefix) => {
    const runner = ["runc", "--log", "x", "run", "--bundle", join(data, "buildkit/executor", RUNNING!), RUNNING!];
    addProcess(10, "/system.slice", ...runner);
    addProcess(11, `${prefix}${RUNNING}`, "npm", "ci");
    addProcess(20, `${prefix}${ORPHAN}`, "npm", "ci");
    addProcess(21, `${prefix}${ORPHAN}`, "node");
    addProcess(30, `${prefix}${OTHERS}`, "npm", "ci");
    addProcess(40, `/docker/${"d".repeat(64)}`, "node", "server.js");
    // An app that names an instruction is none.
    addProcess(41, `/docker/${"d".repeat(64)}`, "sh", ORPHAN!);
    expect((await findOrphanedBuilds(data, join(root, "proc"))).toSorted()).toEqual([20, 21]);
  },
);
