import type { MessageInitShape } from "@bufbuild/protobuf";
import type { StepSuccessSchema } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import type { AppRef, Engine, Git, Host, OwnedApp, Proxy, StepOutput } from "../ports.ts";

/** What every step works with; the ports are the host, the rest is this run. */
export interface StepContext {
  app: OwnedApp;
  deployId: string;
  output: StepOutput;
  /** Aborted with a SvcError as its reason: `canceled`, `step_timed_out`. */
  signal: AbortSignal;
  git: Git;
  engine: Engine;
  proxy: Proxy;
  host: Host;
  /** The agent's data directory. */
  dataDirectory: string;
}

/** What an undo works with: it needs no owner of the app, and has no output that a person reads. */
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
