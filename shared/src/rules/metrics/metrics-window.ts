/** Agents count what apps use and answer by windows of this length, which begin at multiples of it. Seconds. */
export const WINDOW_SECONDS = 10;

/** An agent keeps windows this long for a control plane that is away, which takes none that are older. Seconds. */
export const WINDOWS_KEPT_SECONDS = 3600;

/** The beginning of the window that the time is in. Both are seconds since 1970. */
export function windowOf(seconds: number): number {
  return Math.floor(seconds / WINDOW_SECONDS) * WINDOW_SECONDS;
}
