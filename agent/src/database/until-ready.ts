import type { Clock } from "@svc/shared/platform/clock.ts";
import type { ContainerState } from "../ports.ts";
import { isPostgresReady } from "./is-ready.ts";

/** A server that begins on a clean data directory is ready within 100 ms. */
const POLL_MS = 50;

export interface ReadyWait {
  msMax: number;
  clock: Clock;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** True when the PostgreSQL at this address takes connections. */
  isReady?: ((host: string, port: number) => Promise<boolean>) | undefined;
}

/** Waits until the database takes connections. @returns false when it did not in that time, or the signal aborted first */
export async function untilPostgresReady(
  { address, port }: Pick<ContainerState, "address" | "port">,
  { msMax, clock, signal, isReady = isPostgresReady }: ReadyWait,
): Promise<boolean> {
  const deadline = clock.now().getTime() + msMax;
  while (!(await isReady(address, port))) {
    if (signal?.aborted || clock.now().getTime() >= deadline) return false;
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
  return true;
}
