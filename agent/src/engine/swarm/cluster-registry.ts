import type { AuthConfigObject } from "dockerode";
import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { linesOf } from "../../platform/lines.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, isConnectionError } from "../errors.ts";
import { managerAddress } from "./manager.ts";
import { ensurePart, ensurePartsNetwork, partName } from "./part-container.ts";

/** The port on this machine's address in the cluster. */
const PORT = 5000;
const USER = "svc";
/** Of the image's id, which nobody chooses. */
const TAG_DIGITS = 16;
/** It makes a key and hashes a password before it listens. */
const READY_MS_MAX = 30_000;
const READY_POLL_MS = 250;
const NOT_LISTENING = /connection refused|connection reset|EOF/;

/** A registry of OCI images that all machines of the cluster reach and trust. */
export interface RegistrySettings {
  /** host:port, with a path where images are to lie below one. */
  address: string;
  username: string;
  password: string;
}

export interface PublishedImage {
  /** The image's name with its digest: the same bytes for every machine, whenever it asks. */
  reference: string;
  /** Goes with a service, so that each of its machines may fetch the image. */
  auth: AuthConfigObject;
}

export interface ClusterRegistry {
  /**
   * Brings an image of this machine's engine to where all machines can fetch it.
   * @param repository a name that nobody can guess, where the image is an app's: a build can name an image whose name it knows
   * @throws SvcError base_image_unavailable
   */
  publish(imageId: string, repository: string): Promise<PublishedImage>;
}

/** @param configured undefined: the agent runs one on this machine, for the cluster alone */
export function createClusterRegistry(ctx: DockerContext, configured: RegistrySettings | undefined): ClusterRegistry {
  const ensure = async (): Promise<RegistrySettings> => configured ?? (await ensureOwn(ctx));
  return {
    publish: (imageId, repository) =>
      ctx.serialize("registry", async () => {
        const { address, username, password } = await ensure();
        const auth = { username, password, serveraddress: address.split("/")[0]! };
        const name = `${address}/${repository}`;
        const tag = imageId.slice("sha256:".length, "sha256:".length + TAG_DIGITS);
        await ctx.docker.getImage(imageId).tag({ repo: name, tag });
        return { reference: `${name}@${await push(ctx, { name, tag }, auth)}`, auth };
      }),
  };
}

const pushed = z.object({ error: z.string().optional(), aux: z.object({ Digest: z.string() }).optional() });

interface ImageTag {
  name: string;
  tag: string;
}

/** @returns the digest of the image's manifest */
async function push(ctx: DockerContext, image: ImageTag, auth: AuthConfigObject): Promise<string> {
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    try {
      return await pushOnce(ctx, image, auth);
    } catch (error) {
      if (!NOT_LISTENING.test(engineMessage(error)) || Date.now() > deadline) throw error;
    }
    await systemClock.sleep(READY_POLL_MS);
  }
}

async function pushOnce(ctx: DockerContext, { name, tag }: ImageTag, auth: AuthConfigObject): Promise<string> {
  try {
    const answer = await ctx.docker.getImage(name).push({ tag, authconfig: auth });
    let digest: string | undefined;
    for await (const line of linesOf(answer as unknown as AsyncIterable<Buffer>)) {
      const { error, aux } = pushed.parse(JSON.parse(line));
      if (error !== undefined) throw new Error(error);
      digest = aux?.Digest ?? digest;
    }
    if (digest !== undefined) return digest;
    throw new Error("the registry named no digest");
  } catch (error) {
    if (isConnectionError(error)) throw error;
    throw new SvcError(
      "base_image_unavailable",
      `The image can't be brought to the cluster's registry ${auth.serveraddress}: ${engineMessage(error)}. Whoever runs ` +
        "this service makes sure that it runs and that Docker on every machine of the cluster trusts it. Then deploy again.",
      { cause: error },
    );
  }
}

async function ensureOwn(ctx: DockerContext): Promise<RegistrySettings> {
  const host = await managerAddress(ctx);
  const network = await ensurePartsNetwork(ctx);
  const password = ctx.names.registryPassword();
  await ensurePart(ctx, "registry", {
    Cmd: ["registry"],
    Env: [`ADDRESS=${host}`, `PASSWORD=${password}`],
    ExposedPorts: { [`${PORT}/tcp`]: {} },
    HostConfig: {
      NetworkMode: network,
      Init: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      RestartPolicy: { Name: "always" },
      PortBindings: { [`${PORT}/tcp`]: [{ HostIp: host, HostPort: String(PORT) }] },
      Mounts: [{ Type: "volume", Source: partName(ctx.serverId, "registry"), Target: "/var/lib/registry" }],
    },
  });
  return { address: `${host}:${PORT}`, username: USER, password };
}
