import { execFile, type ExecFileException } from "node:child_process";
import { promisify } from "node:util";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { ROUTING_RULE_PRIORITIES } from "@svc/shared/net/routing-rule-priorities.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { formatCidr, type Cidr } from "./address-block.ts";
import { BUILDS_BRIDGE, RULES_ANSWER_MS_MAX, RULES_LOOK_MS } from "./kernel-rules.ts";

/** Clouds answer any process of a host there, with the host's own credentials (RFC 3927), and some of them names. */
const LINK_LOCAL = "169.254.0.0/16";

/** Matches the kernel's refusals when a rule is there already. */
const IS_THERE = /^(RTNETLINK answers: File exists|Command failed -:\d+)$/;

export interface RoutingRules {
  /**
   * Sets those that are not there. Where they can't be set and are not required, the log says so once and work goes on.
   * @throws SvcError isolation_unavailable where they are required
   */
  ensure(): Promise<void>;
  /**
   * Does so at once, and again twice a minute; resolves when the signal aborts.
   * @param onFailure is called once each time that they can't be set any more, where they are required
   */
  keep(signal: AbortSignal, onFailure: (error: SvcError) => void, clock?: Clock): Promise<void>;
}

export interface RoutingRulesOptions {
  /** The addresses of apps' networks. */
  addressBlock: Cidr;
  /** Whether nothing is deployed while they can't be set (SVC_ISOLATION). */
  areRequired: boolean;
  log: Logger;
}

/**
 * Keep apps, and builds, from other apps' containers and from link-local addresses (names aside). Rules of the firewall are
 * no guard: the engine takes its own jumps to its isolation and to the chain DOCKER-USER out and in again with each network
 * that it makes or removes, and connections get through meanwhile (decision 12).
 */
export function createRoutingRules({ addressBlock, areRequired, log }: RoutingRulesOptions): RoutingRules {
  const rules = rulesFor(formatCidr(addressBlock));
  const batch = rules.map((rule, index) => `rule add ${rule} priority ${ROUTING_RULE_PRIORITIES[index]}\n`).join("");
  let isFailing = false;

  /** @returns why they could not be set; the log says it the first time */
  async function set(): Promise<SvcError | undefined> {
    const failure = await addAll(rules, batch);
    if (failure !== undefined && !isFailing)
      log.error({ err: failure }, areRequired ? "nothing is deployed" : "apps are not kept apart");
    isFailing = failure !== undefined;
    return failure;
  }

  return {
    async ensure() {
      const failure = await set();
      if (failure !== undefined && areRequired) throw failure;
    },
    async keep(signal, onFailure, clock) {
      // Apart from what the log has said, since a deploy may have met the failure first.
      let isTold = false;
      const work = async (): Promise<void> => {
        const failure = await set();
        if (failure !== undefined && areRequired && !isTold) onFailure(failure);
        isTold = failure !== undefined;
      };
      const failing = "the routing rules can't be looked at";
      await repeat({ everyMs: RULES_LOOK_MS, failing, work, clock, log }, signal);
    },
  };
}

/** Stands in the order in which they apply: what is allowed before what is not. */
function rulesFor(block: string): string[] {
  const toLinkLocal = [`from ${block}`, `from all iif ${BUILDS_BRIDGE}`].flatMap((source) => [
    `${source} to ${LINK_LOCAL} ipproto udp dport 53 lookup main`,
    `${source} to ${LINK_LOCAL} ipproto tcp dport 53 lookup main`,
    `${source} to ${LINK_LOCAL} prohibit`,
  ]);
  return [
    ...toLinkLocal,
    // The host's own connections, which come from the gateway's address: the proxy's, and probes.
    `from ${block} to ${block} iif lo lookup main`,
    `from ${block} to ${block} prohibit`,
    `from all iif ${BUILDS_BRIDGE} to ${block} prohibit`,
  ];
}

/** Why one is not set, if one is not. */
async function addAll(rules: readonly string[], batch: string): Promise<SvcError | undefined> {
  try {
    const adding = promisify(execFile)("ip", ["-4", "-force", "-batch", "-"], {
      timeout: RULES_ANSWER_MS_MAX,
      env: { ...process.env, LC_ALL: "C" },
    });
    // Without one when the process could not be started; what went wrong comes by the promise.
    adding.child.stdin?.on("error", () => {}).end(batch);
    await adding;
    return undefined;
  } catch (err) {
    const failure = err as ExecFileException;
    const said = (failure.stderr ?? "").split("\n").filter((line) => line !== "");
    const areThere = !failure.signal && said.length > 0 && said.every((line) => IS_THERE.test(line));
    return areThere ? undefined : isolationUnavailable(rules, said, failure);
  }
}

/** `ip` says what was wrong, and in the next line which of the batch's lines it was. */
function isolationUnavailable(rules: readonly string[], said: readonly string[], cause: ExecFileException): SvcError {
  const refused = said.findIndex((line) => !IS_THERE.test(line));
  const line = /^Command failed -:(\d+)$/.exec(said[refused + 1] ?? "")?.[1];
  const rule = refused === -1 ? undefined : rules[Number(line) - 1];
  const reason = said[refused] ?? wordless(cause);
  return new SvcError(
    "isolation_unavailable",
    `This server deploys nothing, since it can't keep apps apart: the routing rule "${rule ?? rules[0]}" could not be ` +
      `set (${reason}). Whoever runs this service can run the agent as root and install iproute2, or set ` +
      "SVC_ISOLATION=off to deploy where apps may reach each other. Then deploy again.",
    { cause },
  );
}

function wordless({ code, signal }: ExecFileException): string {
  if (code === "ENOENT") return "the program `ip` is not installed";
  return signal ? `\`ip\` was ended by ${signal}` : `\`ip\` ended with status ${code}`;
}
