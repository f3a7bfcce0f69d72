import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";

/** Crash recovery replays at most `max_wal_size`; a minute and a half is generous for that. */
export const READY_MS_MAX = 90_000;
export const POLL_MS = 20;

/** The facts of a server in its postmaster.pid. */
export interface RunningServer {
  pid: number;
  port: number;
  ready: boolean;
}

/** postmaster.pid holds, a line each: pid, directory, start time, port, socket directory, address, memory key, status. */
export async function readPidFile(data: string): Promise<RunningServer | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" } : undefined;
}

/** The server of this directory; a process that merely has the number of a former one is not it. */
export async function findRunning(data: string): Promise<RunningServer | undefined> {
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    const server = await readPidFile(data);
    if (!server || !(await serves(server.pid, data))) return undefined;
    if (server.ready) return server;
    if (Date.now() > deadline) {
      throw new SvcError(
        "internal",
        `The PostgreSQL in ${data} runs (process ${server.pid}) but does not become ready.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Whether the server of this directory runs. */
export async function isRunning(data: string): Promise<boolean> {
  const server = await readPidFile(data);
  return server !== undefined && (await serves(server.pid, data));
}

async function serves(pid: number, data: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.includes(`\0-D\0${data}\0`);
}
