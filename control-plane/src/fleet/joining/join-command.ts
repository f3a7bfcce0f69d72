import { formatHostPort, isWildcard, type HostPort } from "@svc/shared/platform/env.ts";
import { readInstaller } from "../bundle/agent-bundle.ts";

/**
 * The command that makes a host join, for its shell: it fetches the script that installs the agent from the control plane, and runs it if it
 * has the SHA-256 that is a part of the command. HTTP/2 is for agents there (fleet-identity.ts). The token is in no process's arguments.
 * @param host by which other hosts reach the control plane, where it listens on all addresses
 * @throws SvcError not_found where this installation has no such script
 */
export async function joinCommand(agentsListen: HostPort, host: string, token: string): Promise<string> {
  const address = isWildcard(agentsListen) ? { ...agentsListen, host } : agentsListen;
  const controlPlane = `https://${formatHostPort(address)}`;
  const { sha256 } = await readInstaller();
  return [
    `export SVC_JOIN_TOKEN=${token}`,
    `curl -fsSk --http1.1 ${controlPlane}/install-agent.sh -o install-agent.sh`,
    `echo "${sha256}  install-agent.sh" | sha256sum --check --quiet`,
    `sh install-agent.sh ${controlPlane}`,
  ].join(" && ");
}
