import { execFile, type ExecFileException } from "node:child_process";
import { promisify } from "node:util";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { CONNECTION_RATE_COMMENT } from "@svc/shared/net/connection-rate-comment.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { formatCidr, type Cidr } from "./address-block.ts";
import { BUILDS_BRIDGE, RULES_ANSWER_MS_MAX, RULES_LOOK_MS } from "./kernel-rules.ts";

/**
 * The kernel remembers each connection for 30 s to 2 min after its last packet, so that one address holds at most an eighth of
 * the million that the agent makes room for (net.netfilter.nf_conntrack_max).
 */
const PER_SECOND = 1_000;

/** An app that starts opens all that it needs at once. */
const BURST = 10_000;

export interface ConnectionRate {
  /**
   * Bounds how many connections an app or a build opens in a second, at once and again twice a minute; resolves when the signal
   * aborts. A host where that can't be set goes without, and the log says so once.
   */
  keep(signal: AbortSignal, clock?: Clock): Promise<void>;
}

/**
 * Keeps one app from filling the table of connections that all of the host share, which takes a second of UDP packets to
 * ever other ports and cuts everybody off (decision 14). The table `mangle` is not the engine's, so that its own
 * changes leave the rules alone. A rate costs the same for each packet; a count of what is open would be walked through.
 */
export function createConnectionRate({ addressBlock, log }: { addressBlock: Cidr; log: Logger }): ConnectionRate {
  const rules = [
    ["-s", formatCidr(addressBlock)],
    ["-i", BUILDS_BRIDGE],
  ].map(ruleFor);

  async function set(): Promise<void> {
    for (const rule of rules) if (!(await isThere(rule))) await iptables("-A", rule);
  }

  const failing = "an app can use up the host's connections: install iptables with its match hashlimit";
  return {
    keep: (signal, clock) => repeat({ everyMs: RULES_LOOK_MS, failing, work: set, clock, log }, signal),
  };
}

/** @param source the match of what comes from apps, or from builds */
function ruleFor(source: readonly string[]): string[] {
  const opens = ["-m", "comment", "--comment", CONNECTION_RATE_COMMENT, "-m", "conntrack", "--ctstate", "NEW"];
  const perAddress = ["-m", "hashlimit", "--hashlimit-name", "svc", "--hashlimit-mode", "srcip"];
  const rate = ["--hashlimit-above", `${PER_SECOND}/second`, "--hashlimit-burst", String(BURST)];
  return [...source, ...opens, ...perAddress, ...rate, "-j", "DROP"];
}

async function isThere(rule: readonly string[]): Promise<boolean> {
  try {
    await iptables("-C", rule);
    return true;
  } catch (err) {
    if ((err as ExecFileException).code === 1) return false;
    throw err;
  }
}

async function iptables(verb: "-A" | "-C", rule: readonly string[]): Promise<void> {
  // Another program that changes the firewall holds its lock meanwhile.
  await promisify(execFile)("iptables", ["-w", "5", "-t", "mangle", verb, "PREROUTING", ...rule], {
    timeout: RULES_ANSWER_MS_MAX,
    env: { ...process.env, LC_ALL: "C" },
  });
}
