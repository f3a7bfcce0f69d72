import type { Deploy, DeployStep, WaitingDeploy } from "../client/answers.ts";

const STATUSES: Record<DeployStep["status"], string> = {
  pending: "waiting",
  running: "running",
  success: "succeeded",
  failed: "failed",
  canceled: "canceled",
  skipped: "skipped",
};

const STEPS: Record<DeployStep["step_name"], string> = {
  provision_db: "Database",
  clone_build: "Build",
  deploy_container: "Start",
  proxy_route: "Traffic",
};

const WAITS_FOR: Record<WaitingDeploy["waits_for"], string> = {
  no_server: "no server takes new apps now. The deploy begins when one does.",
  server_away: "the app's server can't be reached. The deploy goes on when the server is back.",
  deploy_ahead: "other deploys on the app's server come first.",
  next: "it begins at once.",
};

/** The words for what a deploy waits for. */
export function waitText(reason: WaitingDeploy["waits_for"]): string {
  return WAITS_FOR[reason];
}

/** The words for how a deploy, or one of its steps, stands. */
export function statusText(status: DeployStep["status"]): string {
  return STATUSES[status];
}

export function stepTitle(name: DeployStep["step_name"]): string {
  return STEPS[name];
}

export function hasEnded({ status }: Pick<Deploy, "status">): boolean {
  return status !== "pending" && status !== "running";
}

/** Whether somebody should look at it. */
export function isBroken({ status, taken_back }: Pick<Deploy, "status" | "taken_back">): boolean {
  return status === "failed" || taken_back !== undefined;
}

/** Why it does not serve; undefined when nothing went wrong. */
export function deployFault({ error, taken_back }: Pick<Deploy, "error" | "taken_back">): string | undefined {
  return taken_back?.detail ?? error;
}

/** A commit as git's lists name it. */
export function shortCommit(sha: string | null): string {
  return sha === null ? "" : sha.slice(0, 7);
}
