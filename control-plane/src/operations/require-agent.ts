import { SvcError } from "@svc/shared/errors.ts";
import type { AgentClient } from "../ports.ts";
import type { OperationContext } from "./context.ts";

/** The server's agent. @throws SvcError agent_away */
export function requireAgent(ctx: Pick<OperationContext, "links">, serverId: string): AgentClient {
  const agent = ctx.links.agent(serverId);
  if (agent) return agent;
  throw new SvcError(
    "agent_away",
    "The agent of this app's server is not connected; it reconnects by itself. Try again shortly.",
  );
}
