import { SvcError } from "@svc/shared/errors.ts";
import { isLinkedSomewhere } from "./servers.store.ts";
import type { AgentClient } from "../ports.ts";
import type { OperationContext } from "../platform/operation.ts";

/** An agent that lost its connection is back after some seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The server's agent. @throws SvcError agent_away */
export async function requireAgent(
  { db, links }: Pick<OperationContext, "db" | "links">,
  serverId: string,
): Promise<AgentClient> {
  const agent = links.agent(serverId);
  if (agent) return agent;
  const sentence = (await isLinkedSomewhere(db, serverId))
    ? "The agent of this app's server is connected to another process of the control plane: send the request to that one, " +
      "or again through the proxy in front of them."
    : "The agent of this app's server is not connected; it reconnects by itself. Try again shortly.";
  throw new SvcError("agent_away", sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
