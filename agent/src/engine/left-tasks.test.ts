import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clearLeftTask, isTaskLeft } from "./left-tasks.ts";

const ID = "ab".repeat(32);
const OTHER = "cd".repeat(32);
let processes: string;

beforeAll(async () => {
  processes = await mkdtemp(join(tmpdir(), "svc-processes-"));
});
afterAll(() => rm(processes, { recursive: true }));

async function show(pid: number, ...argv: string[]): Promise<void> {
  await mkdir(join(processes, String(pid)), { recursive: true });
  await writeFile(join(processes, String(pid), "cmdline"), argv.map((arg) => `${arg}\0`).join(""));
}

const refusal = (message: string) =>
  Object.assign(new Error(`(HTTP code 500) server error - ${message} `), { statusCode: 500 });

/** containerd's place for the bundle of a task. */
const TASKS = "io.containerd.runtime.v2.task/moby";
const bundleLeft = (bundle: string) => refusal(`failed to start shim: mkdir ${bundle}: file exists: unknown`);

const stateLeft = refusal(
  "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: " +
    "container with given ID already exists: unknown",
);

test("the engine's refusal is told from others by containerd's words", () => {
  expect(isTaskLeft(refusal(`task ${ID}: already exists`))).toBe(true);
  expect(isTaskLeft(Object.assign(new Error("x"), { json: { message: `task ${ID}: already exists` } }))).toBe(true);
  expect(isTaskLeft(refusal("endpoint with name app already exists in network apps"))).toBe(false);
  expect(isTaskLeft(refusal(`the app says: task ${ID}: already exists`))).toBe(false);
  expect(isTaskLeft(bundleLeft(`/run/containerd/${TASKS}/${ID}`))).toBe(true);
  expect(isTaskLeft(bundleLeft(`/etc/${ID}`))).toBe(false);
  const said = `exec: "failed to start shim: mkdir /run/${TASKS}/${ID}: file exists": no such file`;
  expect(isTaskLeft(refusal(said))).toBe(false);
  expect(isTaskLeft(stateLeft)).toBe(true);
});

test("only what runs that container is ended", async () => {
  const shim = spawn("sleep", ["60"]);
  const bystander = spawn("sleep", ["60"]);
  await show(shim.pid!, "/usr/bin/containerd-shim-runc-v2", "-namespace", "moby", "-id", ID, "-address", "/run/a.sock");
  await show(bystander.pid!, "/usr/bin/containerd-shim-runc-v2", "-namespace", "moby", "-id", OTHER);
  await show(process.pid, "cat", "containerd-shim-runc-v2", "-id", ID);
  const ended = once(shim, "exit");
  expect(await clearLeftTask(ID, refusal(`task ${ID}: already exists`), processes)).toBe(true);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(bystander.signalCode).toBeNull();
  bystander.kill();
  await Promise.all([shim, bystander].map(({ pid }) => rm(join(processes, String(pid)), { recursive: true })));
});

test("what containerd clears away itself is waited for, and not ended", async () => {
  const clearing = spawn("sleep", ["60"]);
  const bundle = await makeBundle(ID);
  await show(clearing.pid!, "containerd-shim-runc-v2", "-namespace", "moby", "-id", ID, "-bundle", bundle, "delete");
  expect(await clearLeftTask(ID, bundleLeft(bundle), processes)).toBe(true);
  expect([clearing.signalCode, await readdir(bundle)]).toEqual([null, ["config.json", "rootfs", "work"]]);
  clearing.kill();
  await rm(join(processes, String(clearing.pid)), { recursive: true });
  await rm(bundle, { recursive: true });
});

test("where nothing is to be cleared away, the refusal stays", async () => {
  expect(await clearLeftTask(ID, refusal(`task ${ID}: already exists`), processes)).toBe(false);
  expect(await clearLeftTask(ID, stateLeft, processes)).toBe(true);
});

async function makeBundle(id: string): Promise<string> {
  const bundle = join(processes, TASKS, id);
  await mkdir(join(bundle, "rootfs"), { recursive: true });
  await writeFile(join(bundle, "config.json"), "{}");
  await symlink("/nowhere", join(bundle, "work"));
  return bundle;
}

test("the bundle of a task that never came to be is removed", async () => {
  const bundle = await makeBundle(ID);
  expect(await clearLeftTask(ID, bundleLeft(bundle), processes)).toBe(true);
  expect(existsSync(bundle)).toBe(false);
});

test("another container's bundle is left alone", async () => {
  const bundle = await makeBundle(OTHER);
  expect(await clearLeftTask(ID, bundleLeft(bundle), processes)).toBe(false);
  expect(await readdir(bundle)).toHaveLength(3);
});

test("no file of a container is removed that a bundle still holds", async () => {
  const bundle = await makeBundle(ID);
  const file = join(bundle, "rootfs", "file");
  await writeFile(file, "an app's");
  await expect(clearLeftTask(ID, bundleLeft(bundle), processes)).rejects.toThrow("ENOTEMPTY");
  expect(await readFile(file, "utf8")).toBe("an app's");
  expect(await readdir(bundle)).toContain("config.json");
});
