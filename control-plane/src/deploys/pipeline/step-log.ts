import type { StepEvent, StepResult } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import { storableText } from "../../platform/storable-text.ts";
import { withPauses } from "../../platform/with-pauses.ts";
import { recordStepEvents, type StepRow } from "../deploy-steps.store.ts";
import { readLogAccount, type NewEvent } from "../events/deploy-events.store.ts";
import { withClaim } from "../deploy-claims.store.ts";
import { deployRedactor } from "../inputs/app-secrets.ts";
import { recordCommit } from "../inputs/pipeline-inputs.store.ts";
import type { DeployWork } from "./deploy-work.ts";
import { LiveLog } from "./live-log.ts";

/** How often what waits of a fast log is looked at while the agent is silent. */
const LOOK_MS = 1_000;
/** Bytes of log lines in one row, so that whoever reads rows knows how much a batch of them is. */
const ROW_BYTES_MAX = 64 * 1024;

/**
 * Stores a run's events as they come, without secrets, and returns its result.
 * @param step as it is stored; the events are those after its last
 * @throws what the events throw; all that came before is stored then, unless the worker is to leave
 */
export async function storeRun(
  { ctx, claim, leave }: DeployWork,
  step: StepRow,
  run: AsyncGenerator<StepEvent[]>,
): Promise<StepResult> {
  // The agent begins meanwhile.
  const begun = withPauses(run, LOOK_MS);
  const [redactor, { bytes, runsForMs }] = await Promise.all([
    deployRedactor(ctx, claim),
    // The deploy's account of its log is kept over all of its steps, runs and workers.
    readLogAccount(ctx.db, claim.deployId),
  ]).catch((error: unknown) => {
    run.return(undefined).catch(() => undefined);
    throw error;
  });
  const lines = new LineRedactor(redactor);
  const log = new LiveLog(step.order, bytes);
  const beganAt = ctx.clock.now().getTime() - runsForMs;
  const sinceBegin = (): number => ctx.clock.now().getTime() - beganAt;
  let last = step.lastEventNumber;
  /** Waiting events are not stored, so another worker asks the agent for them again. */
  const store = async (events: readonly NewEvent[]): Promise<void> => {
    if (events.length > 0) await recordStepEvents(ctx.db, claim, step, last, events);
  };
  try {
    for await (const events of begun) {
      const result = events?.find(({ body }) => body.case === "result")?.body;
      last = Number(events?.at(-1)?.number ?? last);
      const commitSha = commitOf(step, events ?? []);
      if (commitSha !== undefined)
        await withClaim(ctx.db, claim, (trx) => recordCommit(trx, claim.deployId, commitSha));
      log.push(toNewEvents(step, events ?? [], lines));
      if (result?.case !== "result") {
        await store(log.take(sinceBegin()));
        continue;
      }
      log.push(logEvents(step, lines.end(), 0));
      await store(log.end(sinceBegin()));
      return result.value;
    }
  } catch (failure) {
    if (failure instanceof SvcError && !leave.aborted) await store(log.end(sinceBegin()));
    throw failure;
  }
  throw new SvcError("internal", "The agent ended the step without a result.");
}

/** Is told before the build, so that one that fails has a commit, too. */
function commitOf({ name }: StepRow, events: readonly StepEvent[]): string | undefined {
  if (name !== "clone_build") return undefined;
  const told = events.flatMap(({ body }) => (body.case === "checkedOut" ? [body.value.commitSha] : []));
  return told.findLast((sha) => COMMIT_SHA.test(sha));
}

/** SHA-1 or SHA-256. */
const COMMIT_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function toNewEvents(step: StepRow, events: readonly StepEvent[], lines: LineRedactor): NewEvent[] {
  return events.flatMap(({ body }): NewEvent[] => {
    switch (body.case) {
      case "logLines":
        return logEvents(step, lines.push(body.value.lines), Number(body.value.dropped));
      case "progress": {
        const payload = { message: storableText(lines.text(body.value.message)) };
        return [{ kind: "progress", stepOrder: step.order, payload }];
      }
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
