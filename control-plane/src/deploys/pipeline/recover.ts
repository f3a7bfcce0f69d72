import { SvcError } from "@svc/shared/errors.ts";
import { recordDeployEnd } from "../record-deploy-end.ts";
import { ClaimLost, readAbandoned, takeAbandoned, withAppAndClaim } from "../deploy-claims.store.ts";
import { notify } from "../../platform/database/notify.ts";
import { endOpenSteps } from "../deploy-steps.store.ts";
import { readLeftovers } from "../deploy-undo.store.ts";
import { readEndedHolders, stopEndedHolder, unlockEndedHolder } from "./server-lock.ts";
import type { AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";
import { undoSteps } from "./undo-steps.ts";

/**
 * Clears a server of what ended deploys left on it: a step that the agent still runs, steps not taken back because the
 * agent was away or the worker died, and a lock that was not freed. Runs before the server's next deploy.
 * @returns whether the server is clear
 */
export async function clearServer(ctx: PipelineContext, calls: AgentCallContext): Promise<boolean> {
  const holders = await readEndedHolders(ctx, calls);
  for (const holder of holders) await stopEndedHolder(ctx, calls, holder);
  const leftovers = await readLeftovers(ctx.db, calls.serverId);
  const undos = leftovers.map(({ deployId, appId, appName, step }) => ({
    deployId,
    app: { id: appId, name: appName },
    step,
  }));
  const undone = await undoSteps(ctx, calls, undos);
  // The deploy's end has told the agent about routes before they were taken back.
  for (const appId of new Set(leftovers.map((leftover) => leftover.appId))) await notify(ctx.db, "routes", appId);
  for (const holder of holders) await unlockEndedHolder(ctx, calls, holder);
  return undone;
}

const AGENT_AWAY = {
  code: "agent_away",
  message:
    "The agent of this app's server has been away since this deploy lost its worker. " +
    "Check that the agent runs and reaches the control plane, then deploy again.",
} as const;
const NEVER_BEGUN = {
  code: "internal",
  message:
    "This deploy was not begun in time, and nothing of it has run. Deploy again; if it stays so, whoever runs this service " +
    "finds the reason in the control plane's log.",
} as const;

/**
 * Fails deploys that nobody has begun in time, and those that nobody works on any more and whose agent has no link, so that no row says `running` without a
 * worker: whoever has the link goes on with what has begun, also a process that was itself frozen for that long. What
 * they did on the host is taken back when the agent returns.
 */
export async function failAbandoned(
  ctx: Pick<PipelineContext, "db" | "links" | "timing" | "policy">,
  workerId: string,
): Promise<void> {
  for (const abandoned of await readAbandoned(ctx.db, ctx.timing.abandonedMs)) {
    const isAgentHere = ctx.links.agent(abandoned.serverId) !== undefined;
    if (abandoned.attempt > 0 && isAgentHere) continue;
    const claim = await takeAbandoned(ctx.db, abandoned, workerId, ctx.timing.claimMs);
    if (!claim) continue;
    const { code, message } = isAgentHere ? NEVER_BEGUN : AGENT_AWAY;
    try {
      await withAppAndClaim(ctx.db, claim, async (trx) => {
        await endOpenSteps(trx, claim, "failed", message);
        await recordDeployEnd(trx, claim, { status: "failed", error: message, errorCode: code }, ctx.policy);
      });
    } catch (error) {
      if (!(error instanceof ClaimLost || error instanceof SvcError)) throw error;
    }
  }
}
