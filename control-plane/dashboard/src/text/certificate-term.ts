const HOUR_MS = 3_600_000;

/** A proxy renews a certificate when a third of its life is left; the shortest lives 12 h. */
export const DOMAIN_SOON_MS = 3 * HOUR_MS;

/** An agent renews its certificate of 30 days when 10 are left. */
export const AGENT_SOON_MS = 5 * 24 * HOUR_MS;

/** Says whether a certificate has ended, or ends within `soonMs` because nobody renewed it. @param until ISO 8601 */
export function certificateTerm(until: string, now: Date, soonMs: number): "good" | "soon" | "ended" {
  const leftMs = Date.parse(until) - now.getTime();
  if (leftMs <= 0) return "ended";
  return leftMs < soonMs ? "soon" : "good";
}
