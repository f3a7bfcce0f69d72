import type { StepEvent, StepResult, StepSuccess } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { isErrorCode, SvcError } from "@svc/shared/errors.ts";
import { readOutputTail } from "../events/deploy-output.store.ts";
import { withAppAndClaim, withClaim } from "../deploy-claims.store.ts";
import { readLogAccount, type NewEvent } from "../events/deploy-events.store.ts";
import {
  recordStepEnd,
  recordStepEvents,
  recordStepRerun,
  recordStepStart,
  type StepRow,
} from "../deploy-steps.store.ts";
import type { AppFacts } from "../inputs/pipeline-inputs.store.ts";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import { storableText } from "../../platform/storable-text.ts";
import { canceled, lockRef, type DeployRun } from "./deploy-work.ts";
import { followRun } from "./follow-run.ts";
import { LiveLog } from "./live-log.ts";
import { explainFailure } from "./release-to-run.ts";
import { redactorFor } from "./secrets.ts";
import type { StepInput } from "./step-input.ts";
import { PIPELINE, type StepSpec } from "./steps.ts";
import { stepOf } from "@svc/shared/rules/step-on-wire.ts";
import { withPauses } from "../../platform/with-pauses.ts";

/** A step runs at most this often: a second interruption is no accident any more (decisions, States). */
const RUNS_MAX = 2;
/** How often what waits of a fast log is looked at while the agent is silent. */
const LOOK_MS = 1_000;
/** Bytes of log lines in one row, so that whoever reads rows knows how much a batch of them is. */
const ROW_BYTES_MAX = 64 * 1024;

/**
 * Brings one step to its end: starts it or goes on where an earlier worker stopped, stores its events, records its end.
 * @throws SvcError why the step failed or was canceled (recorded already); anything else is no verdict about the step:
 * ClaimLost, the reason of `run.leave`, a database that cannot be reached
 */
export async function runStep(run: DeployRun, step: StepRow, input: StepInput): Promise<void> {
  const { ctx, claim } = run;
  if (step.status === "success" || step.status === "skipped") return;
  if (step.status === "failed" || step.status === "canceled") throw recordedFailure(step);

  const definition = PIPELINE[step.name];
  if (!definition.isNeeded(input)) {
    return skip(run, step);
  }
  try {
    run.cancel.throwIfAborted();
    if (step.status === "pending") await recordStepStart(ctx.db, claim, step);
    const spec = await definition.spec(input);
    if (!spec) return await skip(run, step);
    const success = await perform(run, step, input.app, spec);
    await withAppAndClaim(ctx.db, claim, async (trx) => {
      const result = await definition.onSuccess(trx, input, success);
      const output = await readOutputTail(trx, claim.deployId, step.order);
      const status = result === undefined ? "skipped" : "success";
      await recordStepEnd(trx, claim, step, { status, output, result });
    });
  } catch (failure) {
    if (run.leave.aborted || !(failure instanceof SvcError)) throw failure;
    if (failure.code === "internal")
      ctx.log.error({ err: failure, deploy_id: claim.deployId, step: step.name }, "step failed");
    const redactor = await redactorFor(ctx, claim);
    const error = storableText(redactor.text(failure.message));
    const status = failure.code === "canceled" || run.cancel.aborted ? "canceled" : "failed";
    await withClaim(ctx.db, claim, async (trx) => {
      const output = await readOutputTail(trx, claim.deployId, step.order);
      await recordStepEnd(trx, claim, step, { status, output, error, errorCode: failure.code });
    });
    throw new SvcError(failure.code, error, { cause: failure });
  }
}

async function skip({ ctx, claim }: DeployRun, step: StepRow): Promise<void> {
  await withClaim(ctx.db, claim, (trx) => recordStepEnd(trx, claim, step, { status: "skipped", output: "" }));
}

/** An earlier worker recorded the failure and died before it ended the deploy. */
function recordedFailure(step: StepRow): SvcError {
  const code = step.status === "canceled" ? "canceled" : (step.errorCode ?? "internal");
  return new SvcError(code, step.error ?? `${step.name} failed.`);
}

/** Runs the step on the agent, once more if the agent's process died during the first run. */
async function perform(run: DeployRun, step: StepRow, app: AppFacts, spec: StepSpec): Promise<StepSuccess> {
  const limit = new AbortController();
  const limitMs = PIPELINE[step.name].limitMs(run.ctx);
  const timer = setTimeout(() => limit.abort(timedOut(step, limitMs)), limitMs);
  try {
    for (let current = step; ; current = { ...current, run: current.run + 1, lastEventNumber: 0 }) {
      const { outcome } = await oneRun(run, current, app, spec, limit.signal);
      switch (outcome.case) {
        case "success":
          return outcome.value;
        case "failure":
          throw explainFailure(run.claim, agentFailure(outcome.value.code, outcome.value.message));
        case "canceled":
          throw (limit.signal.aborted ? limit.signal.reason : canceled()) as SvcError;
        case "interrupted":
          if (current.run >= RUNS_MAX) throw interruptedTwice(step);
          await recordStepRerun(run.ctx.db, run.claim, current);
          break;
        case undefined:
          throw new SvcError("internal", "The agent ended the step without a result.");
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Stores the run's events as they come, from the last that is stored on, and returns its result. */
async function oneRun(
  run: DeployRun,
  step: StepRow,
  app: AppFacts,
  spec: StepSpec,
  limit: AbortSignal,
): Promise<StepResult> {
  const { ctx, claim } = run;
  const lines = new LineRedactor(await redactorFor(ctx, claim));
  const log = await openLiveLog(run, step);
  const request = {
    lock: lockRef(claim),
    step: stepOf(step.name),
    run: step.run,
    app: { id: app.id, name: app.name, ownerId: app.ownerId },
    spec,
  };
  let last = step.lastEventNumber;
  // Aborted when the events can't be stored: the agent may be silent for as long as the step runs.
  const done = new AbortController();
  const following = { ...run, leave: AbortSignal.any([run.leave, done.signal]) };
  /** What waits is not stored, so another worker asks the agent for it again. */
  const store = async (events: readonly NewEvent[]): Promise<void> => {
    if (events.length > 0) await recordStepEvents(ctx.db, claim, step, last, events);
  };
  try {
    for await (const events of withPauses(followRun(following, request, step.lastEventNumber, limit), LOOK_MS)) {
      const result = events?.find(({ body }) => body.case === "result")?.body;
      last = Number(events?.at(-1)?.number ?? last);
      log.push(toNewEvents(step, events ?? [], lines));
      if (result?.case !== "result") {
        await store(log.take());
        continue;
      }
      log.push(logEvents(step, lines.end(), 0));
      await store(log.end());
      return result.value;
    }
  } catch (failure) {
    if (failure instanceof SvcError && !run.leave.aborted) await store(log.end());
    throw failure;
  } finally {
    done.abort();
  }
  throw new SvcError("internal", "The agent ended the step without a result.");
}

/** The deploy's account of its log, kept over all of its steps, runs and workers. */
async function openLiveLog({ ctx, claim }: DeployRun, step: StepRow) {
  const { bytes, runsForMs } = await readLogAccount(ctx.db, claim.deployId);
  const beganAt = ctx.clock.now().getTime() - runsForMs;
  const log = new LiveLog(step.order, bytes);
  const sinceBegin = (): number => ctx.clock.now().getTime() - beganAt;
  return {
    push: (events: readonly NewEvent[]): void => log.push(events),
    take: (): NewEvent[] => log.take(sinceBegin()),
    end: (): NewEvent[] => log.end(sinceBegin()),
  };
}

function toNewEvents(step: StepRow, events: readonly StepEvent[], lines: LineRedactor): NewEvent[] {
  return events.flatMap(({ body }) => {
    switch (body.case) {
      case "logLines":
        return logEvents(step, lines.push(body.value.lines), Number(body.value.dropped));
      case "progress":
        return [
          {
            kind: "progress" as const,
            stepOrder: step.order,
            payload: { message: storableText(lines.text(body.value.message)) },
          },
        ];
      default:
        return [];
    }
  });
}

function logEvents(step: StepRow, lines: readonly string[], dropped: number): NewEvent[] {
  const rows: { lines: string[]; dropped: number }[] = dropped > 0 ? [{ lines: [], dropped }] : [];
  let bytes = dropped > 0 ? 0 : Number.POSITIVE_INFINITY;
  for (const line of lines.map(storableText)) {
    bytes += Buffer.byteLength(line);
    if (bytes > ROW_BYTES_MAX) {
      rows.push({ lines: [], dropped: 0 });
      bytes = Buffer.byteLength(line);
    }
    rows.at(-1)!.lines.push(line);
  }
  return rows.map((payload) => ({ kind: "log", stepOrder: step.order, payload }));
}

function agentFailure(code: string, message: string): SvcError {
  return new SvcError(isErrorCode(code) ? code : "internal", message);
}

function timedOut(step: StepRow, limitMs: number): SvcError {
  const minutes = Math.round(limitMs / 60_000);
  return new SvcError("step_timed_out", `${step.name} did not end within ${minutes} minutes and was stopped.`);
}

function interruptedTwice(step: StepRow): SvcError {
  return new SvcError(
    "step_interrupted",
    `The agent, or its container engine, was restarted twice during ${step.name}. Look at the logs of both for the reason, ` +
      "then deploy again.",
  );
}
