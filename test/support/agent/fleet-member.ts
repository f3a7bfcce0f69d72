import { loadIdentity } from "@svc/agent/link/identity.ts";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import type { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import type { JoinToken } from "@svc/control-plane/fleet/joining/issue-join-token.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { newDataDirectory, startAgentInProcess, type AgentInProcess } from "./agent-in-process.ts";
import type { FleetWorld } from "./fleet-world.ts";

/** The real agent, which joins the fleet by the wire alone. `tidy` stops it. */
export async function startMember(
  world: FleetWorld,
  controlPlane: HostPort,
  more: { listen?: HostPort; signedBy?: Authority; token?: JoinToken; dataDirectory?: string } = {},
): Promise<AgentInProcess & { serverId: string; name: string }> {
  const { signedBy = world.authority, listen, dataDirectory = await newDataDirectory() } = more;
  const { token, server } = more.token ?? (await createJoinToken(world.database.db, signedBy.fingerprint, byCommand));
  const agent = await startAgentInProcess(dataDirectory, { controlPlane, joinToken: token, listen });
  world.cleanups.push(() => agent.stop());
  const identity = await loadIdentity(agent.dataDirectory);
  return { ...agent, serverId: identity!.serverId, name: server };
}
