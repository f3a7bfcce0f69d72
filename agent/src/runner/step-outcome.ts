import type { MessageInitShape } from "@bufbuild/protobuf";
import { SvcError } from "@svc/shared/errors.ts";
import type { StepResultSchema } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { explainFullDisk } from "../platform/durable-file.ts";
import { withoutQuotedLines } from "../platform/operator-error.ts";
import type { RunKey } from "./journal-run.ts";

export type Outcome = Exclude<NonNullable<MessageInitShape<typeof StepResultSchema>["outcome"]>, { case: undefined }>;

/** A sentence is for reading; the app's last log lines may be in it. */
const MESSAGE_CHARACTERS_MAX = 16 * 1024;

interface ThrownIn {
  key: RunKey;
  /** The signal of the run. */
  signal: AbortSignal;
  /** The engine answered, and the step itself was begun. */
  hasBegun: boolean;
  log: Logger;
  /** Is told of the cause, which only operators see. */
  failed(code: string, error: unknown): void;
}

/** How a run ended whose step threw. */
export function outcomeOfThrown(thrown: unknown, { key, signal, hasBegun, log, failed }: ThrownIn): Outcome {
  // The reason to stop tells more than the error that a step throws after it.
  const error: unknown = signal.aborted ? signal.reason : explainFullDisk(thrown);
  if (signal.aborted && thrown instanceof GivenUp) log.error("the step did not end after it was told to");
  if (error instanceof SvcError && error.code === "canceled") return { case: "canceled", value: {} };
  if (error instanceof SvcError && error.code === "step_interrupted") return { case: "interrupted", value: {} };
  const isEngineLost = error instanceof SvcError && error.code === "engine_unavailable" && hasBegun;
  if (isEngineLost && key.run === 1) {
    log.warn({ err: error }, "the engine went away during the step, which may be run once more");
    return { case: "interrupted", value: {} };
  }
  const known = isEngineLost ? lostAgain(key, error) : toKnown(key.deployId, error);
  const shown = withoutQuotedLines(error);
  log.warn({ err: shown, code: known.code }, "step failed");
  failed(known.code, shown);
  return { case: "failure", value: { code: known.code, message: cut(known.message) } };
}

class GivenUp extends Error {}

/** The promise's outcome, or GivenUp when it has none `graceMs` after the signal aborted. */
export async function settledOrGivenUp<T>(promise: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    const startTimer = (): void => {
      timer = setTimeout(() => reject(new GivenUp()), graceMs);
    };
    if (signal.aborted) startTimer();
    else signal.addEventListener("abort", startTimer, { once: true });
  });
  try {
    return await Promise.race([promise, givenUp]);
  } finally {
    clearTimeout(timer);
  }
}

function lostAgain({ step }: RunKey, cause: SvcError): SvcError {
  const sentence =
    `The server's container engine went away during ${step}, which had been interrupted before. Look at Docker's log ` +
    "on the server for the reason, then deploy again.";
  return new SvcError("engine_unavailable", sentence, { cause });
}

function toKnown(deployId: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const sentence = `Something went wrong on the server; its operator finds the cause in the agent's log under ${deployId}.`;
  return new SvcError("internal", sentence, { cause });
}

function cut(message: string): string {
  return message.length <= MESSAGE_CHARACTERS_MAX ? message : `${message.slice(0, MESSAGE_CHARACTERS_MAX - 1)}…`;
}
