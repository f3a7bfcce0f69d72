import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { newId } from "@svc/shared/rules/ids.ts";
import { CLUSTER_IMAGE } from "@svc/shared/frameworks/base-images.ts";
import { startOwnEngine, type OwnEngine } from "./own-engine.ts";

const run = promisify(execFile);

/** Addresses of the machines among themselves; no other network namespace sees them. */
const FABRIC = "10.99.0";
const VXLAN_PORT = 4789;
/** Where clouds tell any process of a machine what is the machine's; a machine without a guard reaches it. */
const METADATA = "169.254.169.254";

/** Three engines of this machine that are one swarm: a manager, which this machine reaches, and two workers. */
export interface TestSwarm {
  manager: OwnEngine;
  workers: readonly [OwnEngine, OwnEngine];
  /** A PATH with an `ip` that acts in the manager's network, where an agent of it would run. */
  path: string;
  /** Takes a worker's network away: nobody reaches it, and it reaches nobody. */
  cut(worker: OwnEngine): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Each engine has a network namespace, and they meet on a bridge in another: bridged frames would meet this machine's own
 * firewall otherwise. This machine's kernel has no IP_VS, which their overlay networks do not need.
 */
export async function startSwarm({
  images = ["node:22-slim"],
}: { images?: readonly string[] } = {}): Promise<TestSwarm> {
  const fabric = `svcfab${newId().slice(-7).toLowerCase()}`;
  const engines: OwnEngine[] = [];
  const programs = await mkdtemp("/tmp/svc-swarm-");
  await run("ip", ["netns", "add", fabric]);
  const onFabric = (...args: string[]): Promise<unknown> => run("ip", ["-n", fabric, ...args]);

  async function startMember(number: number, memberImages: readonly string[]): Promise<OwnEngine> {
    const engine = await startOwnEngine({
      images: memberImages,
      reachable: number === 1,
      hostname: `node${number}`,
      // The registry of the cluster has a certificate of the agent's own.
      args: [`--insecure-registry=${FABRIC}.0/24`],
      link: async (namespace) => {
        const end = `m${number}`;
        await run("ip", [
          "-n",
          namespace,
          "link",
          "add",
          "fabric",
          "type",
          "veth",
          "peer",
          "name",
          end,
          "netns",
          fabric,
        ]);
        await onFabric("link", "set", end, "master", "br0", "up");
        await run("ip", ["-n", namespace, "addr", "add", `${addressOf(number)}/24`, "dev", "fabric"]);
        await run("ip", ["-n", namespace, "link", "set", "fabric", "up"]);
        // The manager's default leads to this machine.
        const beyond = number === 1 ? `${METADATA}/32` : "default";
        await run("ip", ["-n", namespace, "route", "add", beyond, "via", `${FABRIC}.1`]);
      },
    });
    engines.push(engine);
    return engine;
  }

  async function stop(): Promise<void> {
    await Promise.allSettled(engines.map((engine) => engine.stop()));
    await run("ip", ["netns", "del", fabric]);
    await rm(programs, { recursive: true, force: true });
  }

  try {
    await onFabric("link", "set", "lo", "up");
    await onFabric("link", "add", "br0", "type", "bridge");
    await onFabric("addr", "add", `${FABRIC}.1/24`, "dev", "br0");
    await onFabric("link", "set", "br0", "up");
    await onFabric("addr", "add", `${METADATA}/32`, "dev", "lo");
    const [manager, ...workers] = (await Promise.all([
      startMember(1, [...images, CLUSTER_IMAGE]),
      startMember(2, []),
      startMember(3, []),
    ])) as [OwnEngine, OwnEngine, OwnEngine];
    await joinAll(manager, workers);
    return {
      manager,
      workers,
      path: `${await makeProgram(programs, manager)}:${process.env["PATH"]}`,
      cut: async (worker) => void (await run("ip", ["-n", worker.namespace, "link", "set", "fabric", "down"])),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function makeProgram(directory: string, { namespace }: OwnEngine): Promise<string> {
  const { stdout: ip } = await run("which", ["ip"]);
  const script = `#!/bin/sh\nexec nsenter --net=/var/run/netns/${namespace} ${ip.trim()} "$@"\n`;
  await writeFile(join(directory, "ip"), script, { mode: 0o755 });
  return directory;
}

function addressOf(number: number): string {
  return `${FABRIC}.${10 + number}`;
}

async function joinAll(manager: OwnEngine, workers: readonly OwnEngine[]): Promise<void> {
  const at = (number: number) => ({ AdvertiseAddr: addressOf(number), ListenAddr: `${addressOf(number)}:2377` });
  await manager.docker.swarmInit({ ...at(1), DataPathPort: VXLAN_PORT });
  const swarm = (await manager.docker.swarmInspect()) as { JoinTokens: { Worker: string } };
  const joining = workers.map((worker, index) =>
    worker.docker.swarmJoin({
      ...at(index + 2),
      RemoteAddrs: [`${addressOf(1)}:2377`],
      JoinToken: swarm.JoinTokens.Worker,
    }),
  );
  await Promise.all(joining);
}
