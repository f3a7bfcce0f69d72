import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";
import { inParallel } from "../platform/in-parallel.ts";
import type { Engine } from "../ports.ts";

/** A stop waits for the grace of the app, and hardly uses the host. */
const STOPS_AT_A_TIME = 8;

/** Is on the disk before anything is stopped: an agent that dies meanwhile goes on with it at its next start. */
function dismissalFile(dataDirectory: string): string {
  return join(dataDirectory, "removed-from-fleet");
}

export async function noteDismissal(dataDirectory: string, reason: string): Promise<void> {
  await writeDurably(dismissalFile(dataDirectory), `${reason}\n`);
}

/** Why the host was removed from the fleet; undefined unless it was. */
export async function readDismissal(dataDirectory: string): Promise<string | undefined> {
  return (await readIfPresent(dismissalFile(dataDirectory)))?.trim();
}

export interface LeavingParts {
  engine: Pick<Engine, "list" | "stop">;
  /** Ends the proxy and the name server. */
  shutDownProxy: () => Promise<void>;
  log: Logger;
}

/**
 * Ends what serves: another host may serve these apps by now. Containers, volumes and images stay, since the databases
 * may be the only copy. Idempotent.
 */
export async function endAllServing({ engine, shutDownProxy, log }: LeavingParts): Promise<void> {
  await shutDownProxy();
  const containers = await engine.list({});
  // Apps first: a database that ends under them would only fill their logs.
  for (const role of ["app", "database"] as const) {
    const stopped = containers.filter((container) => container.role === role);
    await inParallel(stopped, STOPS_AT_A_TIME, ({ id }) => engine.stop(id, GRACE_SECONDS[role]));
  }
  log.info({ containers: containers.length }, "stopped all that ran for the fleet; databases keep their volumes");
}

/** The sentence with which the agent ends. */
export function dismissed(reason: string): SvcError {
  return new SvcError(
    "server_removed",
    `${reason} Apps, databases and proxy are stopped; the databases' volumes stay until you remove them. To use the host again, ` +
      "make a token on the control plane with `npm run admin -- server token` and start the agent with it and an empty data directory.",
  );
}
