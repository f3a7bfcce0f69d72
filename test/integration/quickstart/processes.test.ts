import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  endProcesses,
  isAlive,
  listenerOn,
  listProcesses,
  processesNaming,
  variableOf,
} from "@svc/deploy/quickstart/daemons/processes.ts";

async function startChild(script: string, ...args: string[]): Promise<number> {
  const child = spawn(process.execPath, ["-e", `${script}; process.stdout.write("up")`, ...args], {
    env: { SVC_MARK: "here" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

test("the process that listens on a port is found, and none where nobody does", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(listenerOn(port)).toMatchObject({ pid: process.pid });
  server.close();
  await once(server, "close");
  expect(listenerOn(port)).toBeUndefined();
});

test("processes are found by a folder that they were given, not by one whose name merely begins alike", async () => {
  const pid = await startChild("setInterval(() => {}, 1000)", "/srv/one/agent");
  expect(processesNaming("/srv/one").map((found) => found.pid)).toEqual([pid]);
  expect(processesNaming("/srv/one/agent").map((found) => found.pid)).toEqual([pid]);
  expect(processesNaming("/srv/o")).toEqual([]);
  expect(variableOf(pid, "SVC_MARK")).toBe("here");
  expect(variableOf(pid, "SVC")).toBeUndefined();
});

test("a proxy is found by the folder that it runs in, and a person's shell there is not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-processes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cwd = join(folder, "caddy");
  mkdirSync(cwd);
  // Its arguments are those of "caddy run --config".
  writeFileSync(join(cwd, "run"), 'setInterval(() => {}, 1000); process.stdout.write("up")');
  const shell = spawn("bash", { cwd, stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void shell.kill("SIGKILL"));
  await once(shell, "spawn");
  const proxy = spawn(process.execPath, ["run", "--config", "config.json"], {
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void proxy.kill("SIGKILL"));
  await once(proxy.stdout, "data");
  const found = processesNaming(folder).map(({ pid }) => pid);
  expect(found).toContain(proxy.pid);
  expect(found).not.toContain(shell.pid);
  expect(processesNaming(`${folder}/cad`)).toEqual([]);
});

test("a process that ignores SIGTERM is gone after the grace period", async () => {
  const pid = await startChild("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)");
  const found = listProcesses().filter((candidate) => candidate.pid === pid);
  expect(found.map(isAlive)).toEqual([true]);
  await endProcesses(found, 100);
  expect(found.map(isAlive)).toEqual([false]);
});

test("another process with the same pid is left alone", () => {
  expect(isAlive({ pid: process.pid, argv: ["something", "else"] })).toBe(false);
});
