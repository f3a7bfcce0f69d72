import { stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { SvcError } from "../errors.ts";

/**
 * A directory's claim is an abstract unix socket named after the directory's device and inode: the kernel gives it to
 * one process and takes it back when that one dies, however it dies, so that there is no stale lock file to judge.
 */
async function socketName(kind: string, directory: string): Promise<string> {
  const { dev, ino } = await stat(directory);
  return `\0svc-${kind}-${dev}-${ino}`;
}

/**
 * Makes this process the only one of its kind on a directory that exists.
 * @param taken what to say, and to do, while another process has it
 * @returns the function that gives the claim back
 * @throws SvcError invalid_request with that sentence
 */
export async function claimDirectory(kind: string, directory: string, taken: string): Promise<() => Promise<void>> {
  const name = await socketName(kind, directory);
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(name, () => resolve());
    });
  } catch (error) {
    throw hasCode(error, "EADDRINUSE") ? new SvcError("invalid_request", taken) : error;
  }
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Whether a process of that kind has the directory. */
export async function isDirectoryClaimed(kind: string, directory: string): Promise<boolean> {
  const socket = connect(await socketName(kind, directory));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve()).once("error", reject);
    });
    return true;
  } catch (error) {
    if (hasCode(error, "ECONNREFUSED")) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
