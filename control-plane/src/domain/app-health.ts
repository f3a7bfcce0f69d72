/** How an app is, as its agent observes it (decisions, Health). */
export const HEALTH_STATES = ["healthy", "unhealthy", "unknown"] as const;

export const UNHEALTHY_REASONS = ["crash_loop", "out_of_memory", "not_listening", "gone"] as const;
export type UnhealthyReason = (typeof UNHEALTHY_REASONS)[number];

/** `server_away` is a reason of `unknown`: nobody observes the app. */
export const HEALTH_REASONS = [...UNHEALTHY_REASONS, "server_away"] as const;

/** As it is kept; whether its server is away is known only when it is read. */
export interface RecordedHealth {
  state: "healthy" | "unhealthy";
  reason: UnhealthyReason | null;
  /** ISO 8601. */
  since: string;
}

/** What an agent told. */
export interface ObservedHealth {
  /** Null: it serves. */
  reason: UnhealthyReason | null;
  since: Date;
  /** By the agent's clock, as `since`. */
  observedAt: Date;
}

/** An app that comes and goes is not told of each time. */
export const RECOVERED_AFTER_MS = 10_000;

/** After this time without a word of its agent nothing is known of an app (decisions, Health). */
export const AWAY_AFTER_SECONDS = 10;

export type HealthEvent = "app.unhealthy" | "app.recovered";

export interface HealthStep {
  health: RecordedHealth;
  /** Absent when there is nothing to tell: only the reason is another one, or it is the first that is known of the app. */
  event?: HealthEvent;
}

/**
 * What follows from an observation. An app that was unhealthy has recovered when it has served for 10 s; its reason may
 * change meanwhile, which is no event.
 * @returns `same`, or `later`: the same observation may lead on when it is repeated
 */
export function nextHealth(recorded: RecordedHealth | null, observed: ObservedHealth): HealthStep | "same" | "later" {
  const { reason, observedAt } = observed;
  const since = observed.since.toISOString();
  if (reason !== null) {
    if (recorded?.state !== "unhealthy") {
      return { health: { state: "unhealthy", reason, since }, event: "app.unhealthy" };
    }
    return recorded.reason === reason ? "same" : { health: { ...recorded, reason } };
  }
  if (recorded?.state === "healthy") return "same";
  const health: RecordedHealth = { state: "healthy", reason: null, since };
  if (recorded === null) return { health };
  const servedMs = observedAt.getTime() - observed.since.getTime();
  return servedMs >= RECOVERED_AFTER_MS ? { health, event: "app.recovered" } : "later";
}
