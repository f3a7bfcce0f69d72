import type { StepEvent, StepResult, StepSuccess } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { isErrorCode, SvcError, toSvcError } from "@svc/shared/errors.ts";
import {
  ClaimLost,
  recordStepEnd,
  recordStepEvents,
  recordStepRerun,
  recordStepStart,
  withAppAndClaim,
  withClaim,
} from "../db/pipeline.ts";
import type { NewEvent, StepRow } from "../db/pipeline.ts";
import type { AppFacts } from "../db/pipeline-inputs.ts";
import { readOutputTail } from "../db/deploy-output.ts";
import { fromAgentError } from "../fleet/agent-errors.ts";
import { agentAway, callAgent, linkedAgent } from "./agent-calls.ts";
import { agentCalls, canceled, lockRef, type DeployRun } from "./deploy-run.ts";
import { LineRedactor } from "../domain/redact-lines.ts";
import { explainFailure } from "./release.ts";
import { redactorFor } from "./secrets.ts";
import type { StepInput } from "./step-input.ts";
import { PIPELINE, type StepSpec } from "./steps.ts";
import { STEP_IN_PROTO } from "./undo-stack.ts";

/** A step runs at most this often: a second interruption is no accident any more (decisions, States). */
const RUNS_MAX = 2;
/** Canceling ends processes; more than this means that the agent hangs. */
const CANCEL_LIMIT_MS = 30_000;
/** Between two attempts to attach to a run whose stream was cut while a link is there. */
const REATTACH_MS = 250;

/**
 * Brings one step to its end: starts it or goes on where an earlier worker stopped, stores its events, records its end.
 * @throws SvcError why the step failed or was canceled (recorded already), ClaimLost or the reason of `run.leave`
 */
export async function runStep(run: DeployRun, step: StepRow, input: StepInput): Promise<void> {
  const { ctx, claim } = run;
  if (step.status === "success" || step.status === "skipped") return;
  if (step.status === "failed" || step.status === "canceled") throw recordedFailure(step);

  const definition = PIPELINE[step.name];
  if (!definition.isNeeded(input)) {
    await withClaim(ctx.db, claim, (trx) => recordStepEnd(trx, claim, step, { status: "skipped", output: "" }));
    return;
  }
  try {
    run.cancel.throwIfAborted();
    if (step.status === "pending") await recordStepStart(ctx.db, claim, step);
    const success = await perform(run, step, input.app, await definition.spec(input));
    await withAppAndClaim(ctx.db, claim, async (trx) => {
      const result = await definition.onSuccess(trx, input, success);
      await recordStepEnd(trx, claim, step, { status: "success", output: await outputOf(run, step), result });
    });
  } catch (error) {
    if (run.leave.aborted || error instanceof ClaimLost) throw error;
    const failure = toSvcError(error);
    if (failure.code === "internal")
      ctx.log.error({ err: error, deploy_id: claim.deployId, step: step.name }, "step failed");
    const message = (await redactorFor(ctx, claim)).text(failure.message);
    const status = failure.code === "canceled" || run.cancel.aborted ? "canceled" : "failed";
    const end = { status, output: await outputOf(run, step), error: message, errorCode: failure.code } as const;
    await withClaim(ctx.db, claim, (trx) => recordStepEnd(trx, claim, step, end));
    throw new SvcError(failure.code, message, { cause: error });
  }
}

function outputOf({ ctx, claim }: DeployRun, step: StepRow): Promise<string> {
  return readOutputTail(ctx.db, claim.deployId, step.order);
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
      const { outcome } = await follow(run, current, app, spec, limit.signal);
      switch (outcome.case) {
        case "success":
          return outcome.value;
        case "failure":
          throw explainFailure(run.claim, agentFailure(outcome.value.code, outcome.value.message));
        case "canceled":
          throw limit.signal.aborted ? (limit.signal.reason as Error) : canceled();
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

/** Reads the run's events to its result, over as many connections as it takes. */
async function follow(
  run: DeployRun,
  step: StepRow,
  app: AppFacts,
  spec: StepSpec,
  limit: AbortSignal,
): Promise<StepResult> {
  const { ctx, claim } = run;
  const lines = new LineRedactor(await redactorFor(ctx, claim));
  let after = step.lastEventNumber;
  let lastHeard = ctx.clock.now().getTime();
  const cancel = AbortSignal.any([run.cancel, limit]);
  const stopWatching = cancelOnAgent(run, cancel);
  try {
    for (;;) {
      const waitMs = Math.max(1, lastHeard + ctx.timing.agentAwayMs - ctx.clock.now().getTime());
      try {
        const agent = await linkedAgent(agentCalls(run, waitMs));
        const request = {
          lock: lockRef(claim),
          step: STEP_IN_PROTO[step.name],
          run: step.run,
          afterEvent: BigInt(after),
          app: { id: app.id, name: app.name },
          spec,
        };
        for await (const { events } of agent.runStep(request, { signal: run.leave })) {
          lastHeard = ctx.clock.now().getTime();
          const last = events.at(-1);
          if (!last) continue;
          const result = events.find((event) => event.body.case === "result")?.body;
          const stored = toNewEvents(step, events, lines);
          if (result) stored.push(...logEvents(step, lines.end(), 0));
          after = Number(last.number);
          await recordStepEvents(ctx.db, claim, step, after, stored);
          if (result?.case === "result") return result.value;
        }
      } catch (error) {
        run.leave.throwIfAborted();
        const known = error instanceof SvcError || error instanceof ClaimLost ? error : fromAgentError(error);
        if (!(known instanceof SvcError) || known.code !== "agent_away") throw known;
      }
      if (ctx.clock.now().getTime() - lastHeard >= ctx.timing.agentAwayMs) throw agentAway(ctx.timing.agentAwayMs);
      await ctx.clock.sleep(REATTACH_MS, run.leave);
    }
  } finally {
    stopWatching();
  }
}

/** When the deploy is canceled, or its limit passes, the agent ends the step; its result then says so. */
function cancelOnAgent(run: DeployRun, cancel: AbortSignal): () => void {
  const onAbort = (): void => {
    const request = { lock: lockRef(run.claim) };
    callAgent(agentCalls(run), (agent) =>
      agent.cancelDeploy(request, { signal: run.leave, timeoutMs: CANCEL_LIMIT_MS }),
    ).catch((error: unknown) =>
      run.ctx.log.warn({ err: error, deploy_id: run.claim.deployId }, "cancel not acknowledged"),
    );
  };
  if (cancel.aborted) onAbort();
  cancel.addEventListener("abort", onAbort, { once: true });
  return () => cancel.removeEventListener("abort", onAbort);
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
            payload: { message: lines.push([body.value.message])[0] },
          },
        ];
      default:
        return [];
    }
  });
}

function logEvents(step: StepRow, lines: readonly string[], dropped: number): NewEvent[] {
  // PostgreSQL's text has no NUL; a program's output may.
  const text = lines.map((line) => line.replaceAll("\u0000", "\uFFFD"));
  return text.length === 0 && dropped === 0
    ? []
    : [{ kind: "log", stepOrder: step.order, payload: { lines: text, dropped } }];
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
    `The agent was restarted twice during ${step.name}. Look at the agent's log for the reason, then deploy again.`,
  );
}
