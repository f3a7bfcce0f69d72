import type { Deploy, DeployStep } from "../client/answers.ts";

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

type Broken = { status: Deploy["status"]; taken_back?: Deploy["taken_back"] | boolean };

/** Whether somebody should look at it. */
export function isBroken({ status, taken_back: takenBack }: Broken): boolean {
  return status === "failed" || Boolean(takenBack);
}

/** Why it does not serve; undefined when nothing went wrong. */
export function deployFault({ error, taken_back }: Pick<Deploy, "error" | "taken_back">): string | undefined {
  return taken_back?.detail ?? error;
}

/** A commit as git's lists name it. */
export function shortCommit(sha: string | null): string {
  return sha === null ? "" : sha.slice(0, 7);
}
