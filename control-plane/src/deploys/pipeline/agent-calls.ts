import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { fromAgentError } from "../../fleet/agent-errors.ts";
import type { AgentClient, AgentLinks } from "../../ports.ts";

export interface AgentCallContext {
  links: AgentLinks;
  clock: Clock;
  serverId: string;
  /** The name of the server in a sentence where "this app's server" would not tell which. */
  serverWords?: string | undefined;
  /** How long to wait for an agent that is away, in milliseconds. */
  waitMs: number;
  signal: AbortSignal;
}

/** How soon a call is repeated when it was cut although a link is there: the next link is on its way. */
const RETRY_MS = 250;

/** Resolves with a client as soon as the server has a link. @throws SvcError agent_away after `waitMs` */
export async function linkedAgent(ctx: AgentCallContext): Promise<AgentClient> {
  const { links, serverId, waitMs, signal } = ctx;
  signal.throwIfAborted();
  const present = links.agent(serverId);
  if (present) return present;
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    const onAbort = (): void => settle(() => reject(signal.reason as Error));
    const timer = setTimeout(() => settle(() => reject(agentAway(ctx))), waitMs);
    const unsubscribe = links.onChange((changed) => {
      const agent = changed === serverId ? links.agent(serverId) : undefined;
      if (agent) settle(() => resolve(agent));
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Calls the agent, waiting for its link, and calls again when the link breaks: only for idempotent calls.
 * @throws SvcError agent_away when it stays away for `waitMs`, else what the agent answered
 */
export async function callAgent<T>(ctx: AgentCallContext, call: (agent: AgentClient) => Promise<T>): Promise<T> {
  const deadline = ctx.clock.now().getTime() + ctx.waitMs;
  for (;;) {
    const agent = await linkedAgent(ctx);
    try {
      return await call(agent);
    } catch (error) {
      ctx.signal.throwIfAborted();
      const known = fromAgentError(error);
      if (known.code !== "agent_away") throw known;
      if (ctx.clock.now().getTime() >= deadline) throw agentAway(ctx);
      await ctx.clock.sleep(RETRY_MS, ctx.signal);
    }
  }
}

export function agentAway({
  waitMs,
  serverWords = "this app's server",
}: Pick<AgentCallContext, "waitMs" | "serverWords">): SvcError {
  return new SvcError(
    "agent_away",
    `The agent of ${serverWords} could not be reached for ${Math.round(waitMs / 1000)} s. ` +
      "Check that the agent runs and reaches the control plane, then try again.",
  );
}
