import type { WaitingDeploy } from "../api/client.ts";
import type { EnvSource } from "./resolve-env.ts";

export type StepStatus = "pending" | "running" | "success" | "failed" | "canceled" | "skipped";

/**
 * How a deploy ended, or that nobody waits for its end. `taken_back`: it went live, its app failed, and the release that is
 * named serves again. `unhealthy`: it went live, its app ended and is started again, and nothing else can serve.
 */
export type DoneStatus = "success" | "failed" | "canceled" | "taken_back" | "unhealthy" | "running" | "queued";

/**
 * Events on the way from a folder to a URL; `--json` prints these, each with its time.
 */
export type Progress =
  /** The work until the next event; only people are told. */
  | { type: "doing"; what: string }
  | { type: "spec"; file: string; name: string; framework: string | null; port: number | null; env: readonly string[] }
  | { type: "app"; name: string; url: string; repo_url: string | null; created: boolean }
  /** Keys only: `set` are those that were sent now. */
  | { type: "env"; set: readonly string[]; sources: Readonly<Record<string, EnvSource>> }
  /** Is shown again when it waits for something else. An older service does not say what for. */
  | { type: "queued"; app: string; waits_for?: WaitingDeploy["waits_for"]; detail?: string }
  | { type: "deploy"; deploy_id: string; ref: string | null; release: string | null; status: string }
  | { type: "step"; step: string; status: StepStatus; error?: string }
  /** A line of a step's output; without a step, what the user should know. `dropped` lines before it are not shown. */
  | { type: "log"; step: string | null; line: string; dropped?: number }
  /** The app is live and is looked at for so long; only people are told. */
  | { type: "watch"; ms: number }
  | {
      type: "done";
      status: DoneStatus;
      url: string;
      deploy_id: string | null;
      release: string | null;
      commit_sha: string | null;
    }
  /** `fields` are further facts of the error, beside the others in JSON: the problems of a spec file, for one. */
  | { type: "error"; code: string; message: string; exit: number; fields?: Readonly<Record<string, unknown>> };

/** Shows progress, one thing after the other. */
export interface ProgressView {
  /** @param time ISO 8601; of an event of the service, when it happened */
  show(event: Progress, time?: string): void;
  /** A question takes the place of what is redrawn; `resume` ends that. */
  pause(): void;
  resume(): void;
  /** Nothing is redrawn any more. */
  close(): void;
}
