import { ROUTING_RULE_PRIORITIES } from "@svc/shared/net/routing-rule-priorities.ts";
import { capture, CommandError } from "../../setup/run.mjs";

/** Removes the routing rules of all agents of this host, the last first, so that none forbids more than all of them did. */
export async function removeRoutingRules(): Promise<void> {
  for (const priority of ROUTING_RULE_PRIORITIES.toReversed()) {
    while (await isRemoved(priority));
  }
}

/** Each address block has rules of its own. */
async function isRemoved(priority: number): Promise<boolean> {
  try {
    await capture("ip", ["-4", "rule", "del", "priority", String(priority)]);
    return true;
  } catch (error) {
    // None is left, or this user may not change them, whose agent then never set any.
    if (error instanceof CommandError) return false;
    throw error;
  }
}
