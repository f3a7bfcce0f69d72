import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { SvcError } from "@svc/shared/errors.ts";
import { isErrno } from "./durable-file.ts";

/**
 * Makes this process the only agent of the data directory. The claim is an abstract unix socket named after the
 * directory's device and inode: the kernel gives it to one process and takes it back when that one dies, however it
 * dies, so that there is no stale lock file to judge.
 * @returns the function that gives the claim back
 * @throws SvcError invalid_request while another agent has it
 */
export async function claimDataDirectory(dataDirectory: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(dataDirectory);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(`\0svc-agent-${dev}-${ino}`, () => resolve());
  }).catch((cause: unknown) => {
    if (!isErrno(cause, "EADDRINUSE")) throw cause;
    const advice = "stop it, or give this one a directory of its own with SVC_DATA_DIR";
    throw new SvcError("invalid_request", `Another agent runs on the data directory ${dataDirectory}; ${advice}.`);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}
