import { SvcError } from "@svc/shared/errors.ts";
import { appLabels, labelFilter, LABEL_APP, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import type { AppRef } from "../../ports.ts";
import { networkNameOf } from "../containers/container-spec.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, statusOf, unless } from "../errors.ts";
import {
  formatCidr,
  gatewayOf,
  lastAddressOf,
  lowestFreeSubnet,
  parseCidr,
  type Cidr,
} from "../network/address-block.ts";
import { blockExhausted, takenRanges, uplinkMtu } from "../network/networks.ts";

/**
 * 126 hosts: two releases of an app side by side, an address of each machine's own, the database, the way in. A /16 holds
 * 512 apps.
 */
const OVERLAY_PREFIX = 25;
/** VXLAN puts so many bytes before each packet. */
const VXLAN_BYTES = 50;
/** The pause between two tries to remove a network, which waits for the last task to leave it. */
const REMOVE_POLL_MS = 250;
const REMOVE_TRIES_MAX = 80;

/**
 * The app's own network over all machines, made when it is not there. A container of this machine's engine may join it.
 * @returns its id
 * @throws SvcError address_block_exhausted
 */
export function ensureOverlay(ctx: DockerContext, app: AppRef): Promise<string> {
  return ctx.serialize("networks", async () => (await findOverlay(ctx, app.id)) ?? (await createOverlay(ctx, app)));
}

export async function findOverlay(ctx: DockerContext, appId: string): Promise<string | undefined> {
  const filters = labelFilter({ [LABEL_SERVER]: ctx.serverId, [LABEL_APP]: appId });
  const [network] = await ctx.docker.listNetworks({ filters });
  return network?.Id;
}

async function createOverlay(ctx: DockerContext, app: AppRef): Promise<string> {
  const block = formatCidr(ctx.addressBlock);
  // The host's own way to all apps is no other network.
  const taken = (await takenRanges(ctx)).filter((range) => formatCidr(range) !== block);
  const mtu = await uplinkMtu();
  for (;;) {
    const subnet = lowestFreeSubnet(ctx.addressBlock, taken, OVERLAY_PREFIX);
    if (subnet === undefined) throw blockExhausted(ctx.addressBlock);
    const id = await tryCreate(ctx, app, subnet, mtu);
    if (id !== undefined) return id;
    taken.push(subnet);
  }
}

/** Is undefined when the subnet turns out to be taken. */
async function tryCreate(ctx: DockerContext, app: AppRef, subnet: Cidr, mtu: number | undefined) {
  const name = networkNameOf(app);
  try {
    const { id } = await ctx.docker.createNetwork({
      Name: name,
      CheckDuplicate: true,
      Driver: "overlay",
      Attachable: true,
      Labels: { ...appLabels(ctx.serverId, app) },
      IPAM: {
        Driver: "default",
        Config: [
          { Subnet: formatCidr(subnet), IPRange: formatCidr(clusterRangeOf(subnet)), Gateway: gatewayOf(subnet) },
        ],
      },
      Options: mtu === undefined ? {} : { "com.docker.network.driver.mtu": String(mtu - VXLAN_BYTES) },
    });
    ctx.log.info({ app: app.id, network: name, subnet: formatCidr(subnet) }, "network made");
    return id;
  } catch (error) {
    if (/overlap/i.test(engineMessage(error))) return undefined;
    if (statusOf(error) !== 409) throw error;
    throw new SvcError(
      "name_taken",
      `The cluster has a network ${name} that this agent did not make. Remove or rename it, then deploy again.`,
      { cause: error },
    );
  }
}

/** The upper half, where the cluster chooses addresses; fixed ones of this machine's containers are in the lower. */
function clusterRangeOf(subnet: Cidr): Cidr {
  return parseCidr(`${lastAddressOf(subnet)}/${subnet.prefix + 1}`)!;
}

/** A task leaves its network a moment after its service has gone. */
export async function removeOverlay(
  ctx: DockerContext,
  id: string,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await unless([404], ctx.docker.getNetwork(id).remove());
      return;
    } catch (error) {
      if (/not found/i.test(engineMessage(error))) return;
      if (!/in use|active endpoints/i.test(engineMessage(error)) || tries === REMOVE_TRIES_MAX) throw error;
    }
    await sleep(REMOVE_POLL_MS);
  }
}
