import type { App } from "../client/answers.ts";

const STATUSES: Record<App["status"], string> = {
  deploying: "deploying",
  running: "running",
  failed: "failed",
  stopped: "stopped",
  soft_stopped: "deleted, can be brought back",
};

const REASONS: Record<NonNullable<App["health"]["reason"]>, string> = {
  crash_loop: "it ends again and again",
  out_of_memory: "it ran out of memory",
  not_listening: "it accepts no connections",
  gone: "its container was removed",
  server_away: "its server can't be reached",
};

/** The words for an app's state in the list; `isBroken` when somebody should look. */
export function appState({ status, health, stopped_by }: Pick<App, "status" | "health" | "stopped_by">) {
  const { state, reason } = health;
  const isObserved = status === "running" || (status === "deploying" && reason === "server_away");
  const why = isObserved && reason !== null ? `: ${REASONS[reason]}` : "";
  const isUnhealthy = status === "running" && state === "unhealthy";
  return {
    text: (isUnhealthy ? "unhealthy" : STATUSES[status]) + why,
    isBroken: status === "failed" || isUnhealthy || stopped_by !== null,
  };
}

/** The look of these words: a class of the style sheet. */
export function appLook(app: Pick<App, "status" | "health" | "stopped_by">): "broken" | "good" | "" {
  if (appState(app).isBroken) return "broken";
  return app.status === "running" && app.health.reason === null ? "good" : "";
}

/** The same as a sentence without its full stop: what may follow is since when. */
export function stateSentence(app: Pick<App, "status" | "health" | "stopped_by">): string {
  return app.status === "failed" ? "The app has failed" : `The app is ${appState(app).text}`;
}
