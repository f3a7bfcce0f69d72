import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RunStepRequestSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { StepEvent } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { fromAgentError } from "../../fleet/agent-errors.ts";
import { agentAway, callAgent, linkedAgent, type AgentCallContext } from "./agent-calls.ts";
import { agentCalls, lockRef, type DeployWork } from "./deploy-work.ts";

/** Canceling ends processes; more than this means that the agent hangs, and the step is given up. */
const CANCEL_LIMIT_MS = 30_000;
/** The pause between two attempts to attach to a run whose stream was cut while a link is there. */
const REATTACH_MS = 250;
/** A stream that lived this long shows that the agent was there, however silent the step is. */
const ALIVE_MS = 1_000;

type RunRequest = Omit<MessageInitShape<typeof RunStepRequestSchema>, "afterEvent" | "$typeName">;

/**
 * The events of a run after the given number, over as many connections as it takes, each exactly once; the last batch
 * holds the result. When the deploy is canceled, or its limit passes, the agent is told to end the step.
 * @param limit aborted with a SvcError when the step has taken too long
 * @throws SvcError agent_away when the agent is away for too long, the reason of the limit or the cancellation when the
 * agent does not end the step in time, whatever the agent refuses with; the reason of `work.leave`
 */
export async function* followRun(
  work: DeployWork,
  request: RunRequest,
  afterEvent: number,
  limit: AbortSignal,
): AsyncGenerator<StepEvent[]> {
  const { clock } = work.ctx;
  const calls = agentCalls(work);
  const now = (): number => clock.now().getTime();
  const ending = endOnAgent(work, AbortSignal.any([work.cancel, limit]));
  let after = BigInt(afterEvent);
  let awaySince: number | undefined;
  try {
    for (;;) {
      const attached = new AbortController();
      const signal = AbortSignal.any([work.leave, ending.givenUp, attached.signal]);
      const waitMs = awaySince === undefined ? calls.waitMs : Math.max(1, awaySince + calls.waitMs - now());
      const attachedAt = now();
      try {
        const agent = await linkedAgent({ ...calls, waitMs, signal }).catch(asAway(calls));
        const stream = agent.runStep({ ...request, afterEvent: after }, { signal })[Symbol.asyncIterator]();
        for (;;) {
          const events = await nextBatch(stream, work, ending.givenUp);
          if (events === undefined) break;
          awaySince = undefined;
          after = events.at(-1)?.number ?? after;
          if (events.length > 0) yield events;
        }
      } finally {
        attached.abort();
      }
      if (awaySince === undefined || now() - attachedAt > ALIVE_MS) awaySince = now();
      if (now() - awaySince >= calls.waitMs) throw agentAway(calls);
      await clock.sleep(REATTACH_MS, work.leave);
    }
  } finally {
    ending.stop();
  }
}

/** Is undefined when the connection broke. Errors of whoever stores the events never come through here. */
async function nextBatch(
  stream: AsyncIterator<{ events: StepEvent[] }>,
  work: DeployWork,
  givenUp: AbortSignal,
): Promise<StepEvent[] | undefined> {
  try {
    const { value, done } = await stream.next();
    return done ? undefined : value.events;
  } catch (error) {
    work.leave.throwIfAborted();
    givenUp.throwIfAborted();
    const known = fromAgentError(error);
    if (known.code === "agent_away") return undefined;
    throw known;
  }
}

/** The sentence names the whole of the time, not what was left of it. */
function asAway(calls: AgentCallContext): (error: unknown) => never {
  return (error) => {
    throw error instanceof SvcError && error.code === "agent_away" ? agentAway(calls) : error;
  };
}

/** Tells the agent to end the step when `end` is aborted; `givenUp` is aborted when it has not done so in time. */
function endOnAgent(work: DeployWork, end: AbortSignal): { givenUp: AbortSignal; stop(): void } {
  const { clock, log } = work.ctx;
  const givenUp = new AbortController();
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    const request = { lock: lockRef(work.claim) };
    // A call that comes late must not end the deploy's next step.
    const signal = AbortSignal.any([work.leave, stopped.signal]);
    const options = { signal, timeoutMs: CANCEL_LIMIT_MS };
    for (;;) {
      const calls = { ...agentCalls(work), signal };
      const { canceled } = await callAgent(calls, (agent) => agent.cancelDeploy(request, options));
      // Nothing runs yet when the call that starts the step is still on its way.
      if (canceled) return;
      await clock.sleep(REATTACH_MS, signal);
    }
  }
  const onEnd = (): void => {
    timer = setTimeout(() => givenUp.abort(end.reason), CANCEL_LIMIT_MS);
    tell().catch((error: unknown) => {
      if (stopped.signal.aborted) return;
      log.warn({ err: error, deploy_id: work.claim.deployId }, "the agent did not end the step yet");
    });
  };
  if (end.aborted) onEnd();
  else end.addEventListener("abort", onEnd, { once: true });
  return {
    givenUp: givenUp.signal,
    stop() {
      stopped.abort();
      clearTimeout(timer);
      end.removeEventListener("abort", onEnd);
    },
  };
}
