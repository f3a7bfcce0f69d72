import type { StepSuccess } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { isErrorCode, SvcError } from "@svc/shared/errors.ts";
import { stepBackstopMs } from "@svc/shared/rules/step-limits.ts";
import { stepOf } from "@svc/shared/rules/step-on-wire.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import { storableText } from "../../platform/storable-text.ts";
import { withAppAndClaim, withClaim } from "../deploy-claims.store.ts";
import { carryApp, proveDatabases } from "./carry-app.ts";
import { ARRIVING, CARRYING } from "../moves/moves.store.ts";
import {
  readSteps,
  recordStepEnd,
  recordStepRerun,
  recordStepStart,
  type StepEnd,
  type StepRow,
} from "../deploy-steps.store.ts";
import { deployRedactor } from "../inputs/app-secrets.ts";
import { openInputsOf } from "../inputs/deploy-inputs.ts";
import { readAppFacts } from "../inputs/pipeline-inputs.store.ts";
import { imageGone } from "../releases/release.ts";
import type { StepInput } from "./context.ts";
import { canceled, lockRef, type DeployWork } from "./deploy-work.ts";
import { followRun } from "./follow-run.ts";
import { storeRun } from "./step-log.ts";
import { PIPELINE, type StepSpec } from "./steps.ts";

/** A step runs at most this often: a second interruption is no accident any more. */
const RUNS_MAX = 2;

/**
 * Brings one step to its end: starts it or goes on where an earlier worker stopped, stores its events, records its end.
 * @throws SvcError why the step failed or was canceled (recorded already); anything else is no verdict about the step:
 * ClaimLost, the reason of `work.leave`, a database that cannot be reached
 */
export async function runStep(work: DeployWork, name: StepName): Promise<void> {
  const { ctx, claim } = work;
  const { step, input } = await readStep(work, name);
  if (step.status === "success" || step.status === "skipped") return;
  if (step.status === "failed" || step.status === "canceled") throw recordedFailure(step);

  const definition = PIPELINE[name];
  if (!definition.isNeeded(input)) return recordEnd(work, step, { status: "skipped" });
  try {
    work.cancel.throwIfAborted();
    if (step.status === "pending" && !(await recordStepStart(ctx.db, claim, step))) throw canceled();
    if (name === CARRYING && claim.kind === "move") {
      const result = await carryApp(work, input);
      return await recordEnd(work, step, { status: "success", result });
    }
    const spec = await definition.spec(input);
    if (!spec) return await recordEnd(work, step, { status: "skipped" });
    const success = await runOnAgent(work, step, input, spec);
    if (name === ARRIVING) await proveDatabases(work);
    await withAppAndClaim(ctx.db, claim, async (trx) => {
      const result = await definition.onSuccess(trx, input, success);
      await recordStepEnd(trx, claim, step, result ? { status: "success", result } : { status: "skipped" });
    });
  } catch (failure) {
    if (work.leave.aborted || !(failure instanceof SvcError)) throw failure;
    throw await recordFailure(work, step, failure);
  }
}

/** The step as it stands now: an earlier worker may have begun it. */
async function readStep({ ctx, claim }: DeployWork, name: StepName): Promise<{ step: StepRow; input: StepInput }> {
  const [steps, facts, inputs] = await Promise.all([
    readSteps(ctx.db, claim.deployId),
    readAppFacts(ctx.db, claim.appId),
    openInputsOf(ctx, claim.deployId),
  ]);
  const { repoUrl, root, framework, port, memory, cpus } = inputs;
  const results = Object.fromEntries(steps.map((step) => [step.name, step.result]));
  const app = { ...facts, repoUrl, root, framework, port, memory, cpus };
  return { step: steps.find((step) => step.name === name)!, input: { ctx, claim, app, inputs, results } };
}

async function recordEnd({ ctx, claim }: DeployWork, step: StepRow, end: StepEnd): Promise<void> {
  await withClaim(ctx.db, claim, (trx) => recordStepEnd(trx, claim, step, end));
}

/** @returns the failure without secrets */
async function recordFailure(work: DeployWork, step: StepRow, failure: SvcError): Promise<SvcError> {
  const { ctx, claim, cancel } = work;
  const { code } = failure;
  if (code === "internal") ctx.log.error({ err: failure, deploy_id: claim.deployId, step: step.name }, "step failed");
  const redactor = await deployRedactor(ctx, claim);
  const error = storableText(redactor.text(failure.message));
  const status = code === "canceled" || cancel.aborted ? "canceled" : "failed";
  await recordEnd(work, step, { status, error, errorCode: code });
  return new SvcError(code, error, { cause: failure });
}

/** An earlier worker recorded the failure and died before it ended the deploy. */
function recordedFailure(step: StepRow): SvcError {
  const code = step.status === "canceled" ? "canceled" : (step.errorCode ?? "internal");
  return new SvcError(code, step.error ?? `${step.name} failed.`);
}

/** Runs the step on the agent, once more if the agent's process died during the first run. */
async function runOnAgent(work: DeployWork, step: StepRow, input: StepInput, spec: StepSpec): Promise<StepSuccess> {
  const { id, name, ownerId } = input.app;
  const request = { lock: lockRef(work.claim), step: stepOf(step.name), app: { id, name, ownerId }, spec };
  const limit = new AbortController();
  const limitMs = stepBackstopMs(step.name, work.ctx.timing.buildSeconds);
  const timer = setTimeout(() => limit.abort(timedOut(step, limitMs)), limitMs);
  try {
    for (let run = step; ; run = { ...run, run: run.run + 1, lastEventNumber: 0 }) {
      // Is aborted when the events can't be stored: the agent may be silent for as long as the step runs.
      const done = new AbortController();
      const following = { ...work, leave: AbortSignal.any([work.leave, done.signal]) };
      const events = followRun(following, { ...request, run: run.run }, run.lastEventNumber, limit.signal);
      const { outcome } = await storeRun(work, run, events).finally(() => done.abort());
      switch (outcome.case) {
        case "success":
          return outcome.value;
        case "failure":
          throw agentFailure(work, outcome.value);
        case "canceled":
          throw (limit.signal.aborted ? limit.signal.reason : canceled()) as SvcError;
        case "interrupted":
          if (run.run >= RUNS_MAX) throw interruptedTwice(step);
          await recordStepRerun(work.ctx.db, work.claim, run);
          break;
        case undefined:
          throw new SvcError("internal", "The agent ended the step without a result.");
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Where the agent misses the image, a rollback can say so in words that help. */
function agentFailure({ claim }: DeployWork, { code, message }: { code: string; message: string }): SvcError {
  const failure = new SvcError(isErrorCode(code) ? code : "internal", message);
  return claim.targetReleaseId !== undefined && failure.code === "not_found" ? imageGone(failure) : failure;
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
