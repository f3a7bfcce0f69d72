import type { AppRef } from "../ports.ts";

/**
 * A container that gets the app's requests since a moment, while the one before it is kept ready. It ends with the time,
 * with a decision of a person about the app, or by taking the deploy back.
 */
export interface Probation {
  app: AppRef;
  deployId: string;
  containerId: string;
  /** When the container was started, ISO 8601: a later start is another life of it. */
  startedAt: string;
  /** The container that served before. */
  formerId: string;
  /** The deploy that made the former container. */
  formerDeployId: string;
  /** ISO 8601. */
  until: string;
}

export type FailureReason = "exited" | "out_of_memory" | "not_answering";

/** How a container failed its probation. */
export interface Failure {
  reason: FailureReason;
  /** The exit code of a container that ended. */
  exitCode: number | undefined;
  at: Date;
}

/** A deploy that was taken back, as the control plane is told. */
export interface TakenBack {
  app: AppRef;
  deployId: string;
  containerId: string;
  formerId: string;
  servedDeployId: string;
  reason: FailureReason;
  exitCode?: number;
  /** A sentence for the app's owner. */
  detail: string;
  lastLines: readonly string[];
  /** ISO 8601. */
  at: string;
  /** The routes lead to the former container; before that, only the decision is made. */
  isDone: boolean;
}

/** The state of all apps' probations on the disk. */
export interface ProbationState {
  /** One of an app at most. */
  probations: readonly Probation[];
  /** Deploys that are kept until the control plane has recorded them. */
  takenBack: readonly TakenBack[];
  /** Stopped containers that are kept for their logs until the app's next deploy, one of an app at most. */
  kept: readonly { appId: string; containerId: string }[];
}

export const NO_PROBATIONS: ProbationState = { probations: [], takenBack: [], kept: [] };

/** The containers that no route leads to and that are to stay all the same. */
export function keptContainers({ probations, takenBack, kept }: ProbationState): Set<string> {
  return new Set([
    ...probations.map(({ formerId }) => formerId),
    ...takenBack.filter(({ isDone }) => !isDone).map(({ formerId }) => formerId),
    ...kept.map(({ containerId }) => containerId),
  ]);
}

/** @throws Error when the text is not what the agent has written */
export function parseProbations(text: string): ProbationState {
  const value = JSON.parse(text) as Partial<Record<keyof ProbationState, unknown>>;
  for (const list of [value.probations, value.takenBack, value.kept]) {
    if (!Array.isArray(list)) throw new TypeError("a list is missing");
  }
  return value as ProbationState;
}

/** Is for the app's owner. @param memoryBytes the container's cap; undefined when it is gone */
export function failureSentence({ reason, exitCode }: Omit<Failure, "at">, memoryBytes: number | undefined): string {
  const why: Readonly<Record<FailureReason, string>> = {
    exited: `it ended with exit code ${exitCode ?? "unknown"}`,
    out_of_memory: `it used more than its${memory(memoryBytes)} memory and was ended`,
    not_answering: "it gave requests no answer",
  };
  return `The release was taken back soon after it went live: ${why[reason]}. The one before it serves again.`;
}

function memory(bytes: number | undefined): string {
  return bytes === undefined ? "" : ` ${Math.round(bytes / 1024 / 1024)} MiB of`;
}
