/** A control plane that restarts is back within seconds, and one that is away for long must not be hammered. */
const FIRST_MS = 500;
const LAST_MS = 30_000;

/**
 * How long to wait after `failures` (1 or more) in a row, in milliseconds: doubling from 0.5 s to `lastMs`, of which a
 * random half, so that the agents of a fleet do not come back all at once.
 * @param random from 0 to 1
 */
export function backoffMs(failures: number, lastMs = LAST_MS, random: number = Math.random()): number {
  const full = Math.min(lastMs, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return full * (0.5 + random / 2);
}
