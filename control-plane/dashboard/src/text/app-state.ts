import { HEALTH_REASON_TEXTS } from "../../../src/apps/health/app-health.ts";
import type { App } from "../client/answers.ts";

const STATUSES: Record<App["status"], string> = {
  deploying: "deploying",
  running: "running",
  failed: "failed",
  stopped: "stopped",
  soft_stopped: "deleted, can be brought back",
};

/** Whether it serves nobody because somebody, or the platform, wanted it so. */
export function isStopped({ status }: Pick<App, "status">): boolean {
  return status === "stopped" || status === "soft_stopped";
}

/** The words for a reason as an entry of the activity has it; undefined where this version knows none. */
export function reasonText(reason: unknown): string | undefined {
  return Object.entries(HEALTH_REASON_TEXTS).find(([name]) => name === reason)?.[1];
}

/** The words for an app's state in the list; `isBroken` when somebody should look. */
export function appState({ status, health, stopped_by }: Pick<App, "status" | "health" | "stopped_by">) {
  const { state, reason } = health;
  const isObserved = status === "running" || (status === "deploying" && reason === "server_away");
  const why = isObserved && reason !== null ? `: ${HEALTH_REASON_TEXTS[reason]}` : "";
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
