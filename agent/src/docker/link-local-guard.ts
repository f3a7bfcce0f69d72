import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Logger } from "@svc/shared/logger.ts";
import { formatCidr, type Cidr } from "../domain/address-block.ts";

/** Where clouds answer whoever asks on a host with the host's own credentials (RFC 3927). */
const LINK_LOCAL = "169.254.0.0/16";

/** Before the tables that lead anywhere (32766 and 32767). */
const PRIORITY = "16925";
const ANSWER_MS_MAX = 10_000;

/**
 * Keeps apps from link-local addresses: one routing rule. A rule of the firewall is no guard: the engine takes its own jump
 * to the chain DOCKER-USER out and in again with each network that it makes, and connections get through meanwhile. Looked
 * after each time an app's network is, since a network that is set up anew may forget it. A host where it can't be set goes
 * on without it, and its log says so once.
 */
export function createLinkLocalGuard(addressBlock: Cidr, log: Logger): () => Promise<void> {
  const rule = ["from", formatCidr(addressBlock), "to", LINK_LOCAL, "priority", PRIORITY, "prohibit"];
  let hasWarned = false;

  return async () => {
    try {
      await promisify(execFile)("ip", ["-4", "rule", "add", ...rule], {
        timeout: ANSWER_MS_MAX,
        env: { ...process.env, LC_ALL: "C" },
      });
      hasWarned = false;
    } catch (err) {
      if (String((err as { stderr?: unknown }).stderr).includes("File exists")) return;
      if (!hasWarned) log.warn({ err }, `apps can reach ${LINK_LOCAL}: the routing rule against it could not be set`);
      hasWarned = true;
    }
  };
}
