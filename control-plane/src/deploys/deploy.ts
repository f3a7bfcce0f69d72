import type { ErrorCode } from "@svc/shared/errors.ts";
import { STEP_NAMES, type StepName } from "@svc/shared/rules/steps.ts";

export const DEPLOY_STATUSES = ["pending", "running", "success", "failed", "canceled"] as const;
export type DeployStatus = (typeof DEPLOY_STATUSES)[number];

/**
 * Deploys wait for one another on a server; a rollback never stands in a queue. A move starts the live release on another
 * server.
 */
export type DeployKind = "deploy" | "rollback" | "move";

export const STEP_STATUSES = [...DEPLOY_STATUSES, "skipped"] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** The statuses that may follow a deploy's status; a terminal status is followed by nothing. */
export const NEXT_STATUSES: Readonly<Record<DeployStatus, readonly DeployStatus[]>> = {
  pending: ["running", "canceled"],
  running: ["success", "failed", "canceled"],
  success: [],
  failed: [],
  canceled: [],
};

export type TerminalStatus = "success" | "failed" | "canceled";

export function isTerminal(status: DeployStatus): status is TerminalStatus {
  return NEXT_STATUSES[status].length === 0;
}

/** 1 to 4. */
export function stepOrder(step: StepName): number {
  return STEP_NAMES.indexOf(step) + 1;
}

export interface DeployEnd {
  status: TerminalStatus;
  error?: string;
  errorCode?: ErrorCode;
  /** The release that is live from now on. */
  releaseId?: string;
}
