import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { SvcError } from "@svc/shared/errors.ts";
import {
  defaultRouteInterface,
  engineRangeOf,
  formatCidr,
  gatewayOf,
  lowestFreeSubnet,
  parseCidr,
  parseRouteTable,
} from "./address-block.ts";
import type { Cidr } from "./address-block.ts";
import { networkNameOf } from "../containers/container-spec.ts";
import { appLabels, labelFilter, LABEL_APP, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import type { AppRef } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, statusOf, unless } from "../errors.ts";

export interface AppNetwork {
  id: string;
  name: string;
  subnet: Cidr;
}

/**
 * The app's bridge, made when it is not there. Routing rules keep bridges from one another, so that a database is
 * reachable from its app alone, and all of them from link-local addresses.
 * @throws SvcError address_block_exhausted
 */
export function ensureNetwork(ctx: DockerContext, app: AppRef): Promise<AppNetwork> {
  return ctx.serialize("networks", async () => {
    await ctx.ensureRoutingRules();
    return (await findNetwork(ctx, app.id)) ?? (await createNetwork(ctx, app));
  });
}

export async function removeNetwork(ctx: DockerContext, app: AppRef): Promise<void> {
  const network = await findNetwork(ctx, app.id);
  if (network !== undefined) await unless([404], ctx.docker.getNetwork(network.id).remove());
}

async function findNetwork(ctx: DockerContext, appId: string): Promise<AppNetwork | undefined> {
  const filters = labelFilter({ [LABEL_SERVER]: ctx.serverId, [LABEL_APP]: appId });
  const [network] = await ctx.docker.listNetworks({ filters });
  if (network === undefined) return undefined;
  const subnet = parseCidr(network.IPAM?.Config?.[0]?.Subnet ?? "");
  if (subnet === undefined) throw new Error(`network ${network.Name} has no IPv4 subnet`);
  return { id: network.Id, name: network.Name, subnet };
}

async function createNetwork(ctx: DockerContext, app: AppRef): Promise<AppNetwork> {
  const taken = await takenRanges(ctx);
  const mtu = await uplinkMtu();
  for (;;) {
    const subnet = lowestFreeSubnet(ctx.addressBlock, taken);
    if (subnet === undefined) throw blockExhausted(ctx.addressBlock);
    const network = await tryCreate(ctx, app, subnet, mtu);
    if (network !== undefined) return network;
    // Somebody else on this engine took it in between, or the engine knows of a range that we do not see.
    taken.push(subnet);
  }
}

/** Is undefined when the subnet turns out to be taken. */
async function tryCreate(
  ctx: DockerContext,
  app: AppRef,
  subnet: Cidr,
  mtu: number | undefined,
): Promise<AppNetwork | undefined> {
  const name = networkNameOf(app);
  try {
    const network = await ctx.docker.createNetwork({
      Name: name,
      CheckDuplicate: true,
      Driver: "bridge",
      Labels: { ...appLabels(ctx.serverId, app) },
      IPAM: {
        Driver: "default",
        Config: [
          { Subnet: formatCidr(subnet), IPRange: formatCidr(engineRangeOf(subnet)), Gateway: gatewayOf(subnet) },
        ],
      },
      // The routing rules are for IPv4.
      EnableIPv6: false,
      // A bridge wider than the uplink drops large packets of apps that call out.
      Options: mtu === undefined ? {} : { "com.docker.network.driver.mtu": String(mtu) },
    });
    ctx.log.info({ app: app.id, network: name, subnet: formatCidr(subnet) }, "network made");
    return { id: network.id, name, subnet };
  } catch (error) {
    if (/overlap/i.test(engineMessage(error))) return undefined;
    if (statusOf(error) === 409) {
      throw new SvcError(
        "name_taken",
        `The server has a network ${name} that this agent did not make. Remove or rename it, then deploy again. If this host ` +
          "was another server before, let it be that one again (`server token --for NAME`).",
        { cause: error },
      );
    }
    throw error;
  }
}

export function blockExhausted(block: Cidr): SvcError {
  return new SvcError(
    "address_block_exhausted",
    `No subnet is free in the server's address block ${formatCidr(block)}. Purge apps that are not needed. An ` +
      "agent without apps can be given a block that overlaps none of the host's other networks (SVC_ADDRESS_BLOCK).",
  );
}

/** Subnets of the engine, routes and interfaces of the host: an app's network must hide none of them. */
export async function takenRanges(ctx: DockerContext): Promise<Cidr[]> {
  const networks = await ctx.docker.listNetworks();
  const subnets = networks.flatMap((network) => network.IPAM?.Config ?? []).map((config) => config.Subnet ?? "");
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const written = [...subnets, ...interfaces.map(({ cidr }) => cidr ?? "")];
  const ranges = written.map(parseCidr).filter((range) => range !== undefined);
  return [...ranges, ...parseRouteTable(await routeTable())];
}

export async function uplinkMtu(): Promise<number | undefined> {
  const uplink = defaultRouteInterface(await routeTable());
  if (uplink === undefined) return undefined;
  const mtu = Number(await readFile(`/sys/class/net/${uplink}/mtu`, "utf8").catch(() => ""));
  return mtu > 0 ? mtu : undefined;
}

/** Empty where there is no such file (an agent that is not on Linux drives an engine elsewhere). */
function routeTable(): Promise<string> {
  return readFile("/proc/net/route", "utf8").catch(() => "");
}
