import { formatHostPort, isWildcard, type HostPort } from "@svc/shared/platform/env.ts";

/**
 * The command that makes a host join, for its shell.
 * @param host by which other hosts reach the control plane, where it listens on all addresses
 */
export function joinCommand(agentsListen: HostPort, host: string, token: string): string {
  const address = isWildcard(agentsListen) ? { ...agentsListen, host } : agentsListen;
  return `SVC_CONTROL_PLANE=https://${formatHostPort(address)} SVC_JOIN_TOKEN=${token} npm run agent`;
}
