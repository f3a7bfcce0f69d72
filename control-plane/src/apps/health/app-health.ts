/** How an app is, as its agent observes it. */
export const HEALTH_STATES = ["healthy", "unhealthy", "unknown"] as const;

const UNHEALTHY_REASONS = ["crash_loop", "out_of_memory", "not_listening", "gone"] as const;
export type UnhealthyReason = (typeof UNHEALTHY_REASONS)[number];

/** `server_away` is a reason of `unknown`: nobody observes the app. */
export const HEALTH_REASONS = [...UNHEALTHY_REASONS, "server_away"] as const;

/** A clause for each. */
export const HEALTH_REASON_TEXTS: Readonly<Record<(typeof HEALTH_REASONS)[number], string>> = {
  crash_loop: "it ends again and again",
  out_of_memory: "it ran out of memory",
  not_listening: "it accepts no connections",
  gone: "its container was removed",
  server_away: "its server can't be reached",
};

/** The health as it is kept; whether its server is away is known only when it is read. */
export interface RecordedHealth {
  state: "healthy" | "unhealthy";
  reason: UnhealthyReason | null;
  /** ISO 8601. */
  since: string;
}

/** The health that an agent reported. */
export interface ObservedHealth {
  /** Null: it serves. */
  reason: UnhealthyReason | null;
  since: Date;
  /** The time by the agent's clock, as `since`. */
  observedAt: Date;
}

/** The health that is shown changes at once; an app that comes and goes is not told of each time. */
export const RECOVERY_TOLD_AFTER_MS = 10_000;

export type HealthEvent = "app.unhealthy" | "app.recovered";

/** An app's health as it is kept. */
export interface HealthRecord {
  /** The health as the API shows it; null before anything is known. */
  health: RecordedHealth | null;
  /** Webhooks were told that the app is unhealthy, and not yet that it has recovered. */
  isToldUnhealthy: boolean;
}

export interface HealthStep {
  health: RecordedHealth;
  /** Absent when there is nothing to tell: only the reason is another one, or the app has not served for long. */
  event?: HealthEvent;
}

/**
 * Decides what an observation changes. The app's health shows at once; its recovery is told when it has served for 10
 * s, and one that ends again before is no further event.
 * @returns `same`, or `later`: the same observation may lead on when it is repeated
 */
export function nextHealth(
  { health: recorded, isToldUnhealthy }: HealthRecord,
  observed: ObservedHealth,
): HealthStep | "same" | "later" {
  const { reason, observedAt } = observed;
  const since = observed.since.toISOString();
  if (reason !== null) {
    if (recorded?.state === "unhealthy")
      return recorded.reason === reason ? "same" : { health: { ...recorded, reason } };
    const health: RecordedHealth = { state: "unhealthy", reason, since };
    return isToldUnhealthy ? { health } : { health, event: "app.unhealthy" };
  }
  const health: RecordedHealth = recorded?.state === "healthy" ? recorded : { state: "healthy", reason: null, since };
  const servedMs = observedAt.getTime() - observed.since.getTime();
  if (isToldUnhealthy && servedMs >= RECOVERY_TOLD_AFTER_MS) return { health, event: "app.recovered" };
  if (health !== recorded) return { health };
  return isToldUnhealthy ? "later" : "same";
}
