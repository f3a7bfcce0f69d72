import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Logger } from "@svc/shared/logger.ts";
import { formatCidr, type Cidr } from "../domain/address-block.ts";

/** Where clouds answer whoever asks on a host with the host's own credentials (RFC 3927). */
const LINK_LOCAL = "169.254.0.0/16";

/** Other programs change rules too; iptables waits this long for them, in seconds. */
const WAIT_SECONDS = "5";
const ANSWER_MS_MAX = 10_000;

/**
 * Keeps apps from link-local addresses: one rule, in the chain that the engine leaves to its operators. Looked after
 * each time an app's network is, because a firewall that is loaded anew forgets it. A host without iptables goes on
 * without it, and its log says so once.
 */
export function createLinkLocalGuard(addressBlock: Cidr, log: Logger): () => Promise<void> {
  const rule = ["DOCKER-USER", "-s", formatCidr(addressBlock), "-d", LINK_LOCAL, "-j", "REJECT"];
  const iptables = (action: string): Promise<unknown> =>
    promisify(execFile)("iptables", ["-w", WAIT_SECONDS, action, ...rule], { timeout: ANSWER_MS_MAX });
  let hasWarned = false;

  return async () => {
    try {
      await iptables("-C").catch(() => iptables("-I"));
      hasWarned = false;
    } catch (err) {
      if (!hasWarned) log.warn({ err }, `apps can reach ${LINK_LOCAL}: the rule against it could not be set`);
      hasWarned = true;
    }
  };
}
