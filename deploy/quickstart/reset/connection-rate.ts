import { CONNECTION_RATE_COMMENT } from "@svc/shared/net/connection-rate-comment.ts";
import { capture, CommandError } from "../../setup/run.mjs";

/** Removes the rules with which the agents of this host bound the connections of apps. */
export async function removeConnectionRate(): Promise<void> {
  for (const line of (await mangle("-S", "PREROUTING"))?.split("\n") ?? []) {
    const [verb, ...rule] = line.split(" ");
    if (verb === "-A" && rule.includes(CONNECTION_RATE_COMMENT)) await mangle("-D", ...rule);
  }
}

/** @returns undefined when there is no firewall, or none that this user may change, whose agent then never set a rule */
async function mangle(...args: string[]): Promise<string | undefined> {
  try {
    return await capture("iptables", ["-w", "5", "-t", "mangle", ...args]);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
