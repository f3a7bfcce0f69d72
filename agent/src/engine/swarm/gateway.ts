import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { labelFilter, LABEL_APP, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, statusOf } from "../errors.ts";
import { formatCidr } from "../network/address-block.ts";
import { ensurePart, ensurePartsNetwork } from "./part-container.ts";

const IP_MS_MAX = 10_000;

/** Leads this machine to the networks of apps, which are over all machines of the cluster. */
export interface Gateway {
  /** Makes the gateway, and the machine's route to it, when they are not there. Idempotent. */
  ensure(): Promise<void>;
  join(networkId: string): Promise<void>;
  leave(networkId: string): Promise<void>;
}

/**
 * The gateway is a container on each app's network. It passes on what comes from this machine, under its own address, and
 * nothing from one app to another.
 */
export function createGateway(ctx: DockerContext): Gateway {
  const block = formatCidr(ctx.addressBlock);

  async function ensure(): Promise<string> {
    const network = await ensurePartsNetwork(ctx);
    const { container, isNew } = await ensurePart(ctx, "gateway", {
      Cmd: ["gateway"],
      Env: [`BLOCK=${block}`],
      HostConfig: {
        NetworkMode: network,
        Init: true,
        CapDrop: ["ALL"],
        CapAdd: ["NET_ADMIN"],
        Sysctls: { "net.ipv4.ip_forward": "1" },
        RestartPolicy: { Name: "always" },
      },
    });
    await lead(container.NetworkSettings.Networks[network]?.IPAddress ?? "");
    if (isNew) await joinAll(container.Id);
    return container.Id;
  }

  async function lead(address: string): Promise<void> {
    const args = ["-4", "route", "replace", block, "via", address];
    await promisify(execFile)("ip", args, { timeout: IP_MS_MAX });
  }

  /** A gateway that was made anew is on no network of an app. */
  async function joinAll(container: string): Promise<void> {
    const networks = await ctx.docker.listNetworks({ filters: labelFilter({ [LABEL_SERVER]: ctx.serverId }) });
    for (const { Id: id, Driver: driver, Labels: labels } of networks) {
      if (driver === "overlay" && labels?.[LABEL_APP]) await connect(id, container);
    }
  }

  async function connect(networkId: string, container: string): Promise<void> {
    try {
      await ctx.docker.getNetwork(networkId).connect({ Container: container });
    } catch (error) {
      if (!/already exists|already attached/i.test(engineMessage(error))) throw error;
    }
  }

  return {
    ensure: () => ctx.serialize("gateway", async () => void (await ensure())),
    join: (networkId) => ctx.serialize("gateway", async () => connect(networkId, await ensure())),
    leave: (networkId) =>
      ctx.serialize("gateway", async () => {
        try {
          await ctx.docker.getNetwork(networkId).disconnect({ Container: await ensure(), Force: true });
        } catch (error) {
          if (statusOf(error) !== 404 && !/is not connected|not found/i.test(engineMessage(error))) throw error;
        }
      }),
  };
}
