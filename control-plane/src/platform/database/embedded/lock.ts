import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { SvcError } from "@svc/shared/errors.ts";
import { until } from "@svc/shared/platform/until.ts";

/** A first start (initdb) on a slow disk takes a few seconds; somebody who holds the lock for longer is stuck. */
const WAIT_MS_MAX = 60_000;
const RETRY_DELAY_MS = 50;

/**
 * Runs `work` while no other process of this host starts or stops the server in `directory`. The lock is a socket in
 * Linux's abstract namespace: it vanishes with the process, so a crash leaves nothing to clean up.
 */
export async function withStartLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const name = `\0svc-postgres-${createHash("sha256").update(directory).digest("hex").slice(0, 32)}`;
  const lock = await until(() => tryListen(name), { pauseMs: RETRY_DELAY_MS, msMax: WAIT_MS_MAX });
  if (!lock) {
    throw new SvcError(
      "internal",
      `Another process has been starting the PostgreSQL in ${directory} for over a minute. End it, then try again.`,
    );
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function tryListen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(path);
    await once(server, "listening");
    server.unref();
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
