import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Processes that work in a folder or below it, or name it on their command line. */
export function processesBelow(directory: string): { pid: number; commandLine: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => ({ pid: Number(pid), commandLine: commandLineOf(pid) }))
    .filter(({ pid, commandLine }) => commandLine.includes(directory) || workingDirectoryOf(pid).startsWith(directory));
}

function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
