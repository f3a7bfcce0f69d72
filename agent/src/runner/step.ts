import type { MessageInitShape } from "@bufbuild/protobuf";
import type { StepSuccessSchema } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import type { AppRef, Engine, Git, Host, OwnedApp, Proxy, RunOutput } from "../ports.ts";

/** The handover from one step of a deploy to the next, in this process alone. */
export interface Handover {
  /** The commit that provision_db has fetched, for clone_build to build. */
  checkout?: FetchedCheckout | undefined;
}

export interface Checkout {
  directory: string;
  /** Full SHA. */
  commitSha: string;
}

export interface FetchedCheckout extends Checkout {
  repoUrl: string;
  /** The ref as the deploy asked for it; undefined for the default branch. */
  ref: string | undefined;
}

/** The context of every step; the ports are the host, the rest is this run. */
export interface StepContext {
  app: OwnedApp;
  deployId: string;
  output: RunOutput;
  /** Is aborted with a SvcError as its reason: `canceled`, `step_timed_out`. */
  signal: AbortSignal;
  /** The handover of the deploy: the same object for all of its steps. */
  handover: Handover;
  git: Git;
  engine: Engine;
  proxy: Proxy;
  host: Host;
  /** The agent's data directory. */
  dataDirectory: string;
}

/** The context of an undo: it needs no owner of the app, and has no output that a person reads. */
export type UndoContext = Omit<StepContext, "app" | "output"> & { app: AppRef };

export type StepOutputMessage = NonNullable<MessageInitShape<typeof StepSuccessSchema>["output"]>;

/**
 * One of the four steps. `run` may be called again after the process died at any line of it: it finds what an earlier
 * run made by labels and goes on. `undo` may be called at any time, any number of times, also when `run` never began;
 * it never touches what serves requests.
 */
export interface StepDefinition<Spec> {
  /** @throws SvcError with the sentence that the user reads */
  run(ctx: StepContext, spec: Spec): Promise<StepOutputMessage>;
  undo(ctx: UndoContext): Promise<void>;
}
