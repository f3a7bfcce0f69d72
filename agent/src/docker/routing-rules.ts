import { execFile, type ExecFileException } from "node:child_process";
import { promisify } from "node:util";
import { systemClock, type Clock } from "@svc/shared/clock.ts";
import type { Logger } from "@svc/shared/logger.ts";
import { ROUTING_RULE_PRIORITIES } from "@svc/shared/net/routing-rule-priorities.ts";
import { formatCidr, type Cidr } from "../domain/address-block.ts";

/** Where clouds answer whoever asks on a host with the host's own credentials (RFC 3927), and some of them names. */
const LINK_LOCAL = "169.254.0.0/16";

/** Where builds run. */
const DEFAULT_BRIDGE = "docker0";

const ANSWER_MS_MAX = 10_000;

/** What the kernel's refusals look like when a rule is there already. */
const IS_THERE = /^(RTNETLINK answers: File exists|Command failed -:\d+)$/;

/** Others remove rules, too: a daemon that sets the host's network up anew, for one. */
const LOOK_MS = 30_000;

export interface RoutingRules {
  /** Sets those that are not there. Never throws: a host where they can't be set goes on without, and its log says so once. */
  ensure(): Promise<void>;
  /** Does so at once, and again twice a minute; resolves when the signal aborts. */
  keep(signal: AbortSignal, clock?: Clock): Promise<void>;
}

/**
 * Keep apps, and builds, from other apps' containers and from link-local addresses (names aside). Rules of the firewall are
 * no guard: the engine takes its own jumps to its isolation and to the chain DOCKER-USER out and in again with each network
 * that it makes or removes, and connections get through meanwhile (decision 12).
 */
export function createRoutingRules(addressBlock: Cidr, log: Logger): RoutingRules {
  const batch = rulesFor(formatCidr(addressBlock))
    .map((rule, index) => `rule add ${rule} priority ${ROUTING_RULE_PRIORITIES[index]}\n`)
    .join("");
  let hasWarned = false;

  async function ensure(): Promise<void> {
    const failure = await addAll(batch);
    if (failure !== undefined && !hasWarned) {
      const what = `apps may reach each other and ${LINK_LOCAL}`;
      log.warn({ err: failure }, `${what}: the routing rules against it could not be set`);
    }
    hasWarned = failure !== undefined;
  }

  return {
    ensure,
    async keep(signal, clock = systemClock) {
      while (!signal.aborted) {
        await ensure();
        await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
    },
  };
}

/** In the order in which they apply: what is allowed before what is not. */
function rulesFor(block: string): string[] {
  const toLinkLocal = [`from ${block}`, `from all iif ${DEFAULT_BRIDGE}`].flatMap((source) => [
    `${source} to ${LINK_LOCAL} ipproto udp dport 53 lookup main`,
    `${source} to ${LINK_LOCAL} ipproto tcp dport 53 lookup main`,
    `${source} to ${LINK_LOCAL} prohibit`,
  ]);
  return [
    ...toLinkLocal,
    // The host's own connections, which come from the gateway's address: the proxy's, and probes.
    `from ${block} to ${block} iif lo lookup main`,
    `from ${block} to ${block} prohibit`,
    `from all iif ${DEFAULT_BRIDGE} to ${block} prohibit`,
  ];
}

/** What went wrong, if anything did. */
async function addAll(batch: string): Promise<Error | undefined> {
  try {
    const adding = promisify(execFile)("ip", ["-4", "-force", "-batch", "-"], {
      timeout: ANSWER_MS_MAX,
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
    return areThere ? undefined : failure;
  }
}
