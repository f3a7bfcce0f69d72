import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Second parts of the blocks 10.N.0.0/16; those below are the agent's own and those of tests on the shared engine. */
const [FIRST, LAST] = [224, 254];

export interface ReachableNetwork {
  /** IPv4 CIDR that no other network of this machine has. */
  block: string;
  release(): Promise<void>;
}

/**
 * A link between a network namespace and this machine's own, over which a block of addresses is reached. The first number
 * that nobody has is taken: a test that was killed may have left its namespace, which would answer in another's place.
 * @throws Error when none is free
 */
export async function linkNetwork(namespace: string): Promise<ReachableNetwork> {
  for (let number = FIRST; number <= LAST; number += 1) {
    if (await takeLink(namespace, number)) return openWay(namespace, number);
  }
  throw new Error(`Links svcown${FIRST} to svcown${LAST} are all taken: "ip netns" lists what killed tests have left.`);
}

/** The kernel lets only one link have the name. */
async function takeLink(namespace: string, number: number): Promise<boolean> {
  const pair = ["type", "veth", "peer", "name", "uplink", "netns", namespace];
  try {
    await run("ip", ["link", "add", nearEnd(number), ...pair]);
    return true;
  } catch (error) {
    if (String(error).includes("File exists")) return false;
    throw error;
  }
}

/** In a table of its own, since an agent takes no subnet that the host's main table leads elsewhere. */
async function openWay(namespace: string, number: number): Promise<ReachableNetwork> {
  const [block, link, table] = [`10.${number}.0.0/16`, `198.18.${number}`, `78${number}`];
  await run("ip", ["addr", "add", `${link}.1/30`, "dev", nearEnd(number)]);
  await run("ip", ["link", "set", nearEnd(number), "up"]);
  await run("ip", ["-n", namespace, "addr", "add", `${link}.2/30`, "dev", "uplink"]);
  await run("ip", ["-n", namespace, "link", "set", "uplink", "up"]);
  await run("ip", ["-n", namespace, "route", "add", "default", "via", `${link}.1`]);
  await run("ip", ["route", "replace", block, "via", `${link}.2`, "table", table]);
  const rule = ["to", block, "lookup", table];
  await run("ip", ["rule", "add", ...rule]);
  return {
    block,
    release: async () => {
      await run("ip", ["rule", "del", ...rule]);
      await run("ip", ["link", "del", nearEnd(number)]).catch(() => undefined);
    },
  };
}

function nearEnd(number: number): string {
  return `svcown${number}`;
}
