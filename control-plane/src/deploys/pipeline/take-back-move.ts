import type { StepName } from "@svc/shared/rules/steps.ts";
import { fromAgentError } from "../../fleet/agent-errors.ts";
import { callAgent, type AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";
import { agentCalls, lockRef, type DeployWork } from "./deploy-work.ts";
import { ARRIVING, CARRYING, readMoveFacts, type MoveFacts } from "../moves/moves.store.ts";

/** A start waits for the database, and for the app to listen. */
const START_LIMIT_MS = 120_000;
const REMOVE_LIMIT_MS = 90_000;

interface FailedMove {
  deployId: string;
  app: { id: string; name: string };
}

/**
 * Takes back what a move does in the place of a deploy's steps: lets the app serve where it was, or removes its copy from the
 * other server. Idempotent.
 * @returns false for a deploy that is no move, and for a step that a move does as any deploy does
 */
export async function takeBackMove(
  ctx: PipelineContext,
  calls: AgentCallContext,
  { step, ...failed }: FailedMove & { step: StepName },
): Promise<boolean> {
  const move = step === CARRYING || step === ARRIVING ? await readMoveFacts(ctx.db, failed.deployId) : undefined;
  if (!move) return false;
  await (step === CARRYING ? returnApp(calls, failed, move) : removeCopy(calls, failed, move));
  return true;
}

async function returnApp(calls: AgentCallContext, { deployId, app }: FailedMove, move: MoveFacts): Promise<void> {
  const at = { ...calls, serverId: move.from };
  const request = { app, lock: { deployId, attempt: move.attempt } };
  const limits = { signal: calls.signal, timeoutMs: START_LIMIT_MS };
  if (move.former === "running") await callAgent(at, (agent) => agent.startApp(request, limits)).catch(unlessOwn);
  // Its database was started to be dumped.
  if (move.former === "soft_stopped") {
    await callAgent(at, (agent) => agent.removeApp({ ...request, purge: false }, limits));
  }
}

/** An app that can't be started is as it would be after a restart by its owner: trying again changes nothing. */
function unlessOwn(error: unknown): void {
  const known = fromAgentError(error);
  if (!["app_not_listening", "server_memory_full", "not_found"].includes(known.code)) throw known;
}

async function removeCopy(calls: AgentCallContext, { deployId, app }: FailedMove, move: MoveFacts): Promise<void> {
  const request = { app, lock: { deployId, attempt: move.attempt }, purge: true };
  await callAgent(calls, (agent) => agent.removeApp(request, { signal: calls.signal, timeoutMs: REMOVE_LIMIT_MS }));
}

/** An app that its owner has stopped, or removed, is so again, once it has proven that it serves, or its database that it runs. */
export async function stopOnArrival(work: DeployWork): Promise<void> {
  const { ctx, claim } = work;
  if (claim.kind !== "move") return;
  const { former } = (await readMoveFacts(ctx.db, claim.deployId))!;
  const request = { app: { id: claim.appId, name: claim.appName }, lock: lockRef(claim) };
  const calls = agentCalls(work);
  const limits = { signal: calls.signal, timeoutMs: REMOVE_LIMIT_MS };
  if (former === "stopped") await callAgent(calls, (agent) => agent.stopApp(request, limits));
  if (former === "soft_stopped")
    await callAgent(calls, (agent) => agent.removeApp({ ...request, purge: false }, limits));
}
