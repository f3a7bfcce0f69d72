import { CLUSTER_IMAGE } from "@svc/shared/frameworks/base-images.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import type { ContainerCreateOptions, ContainerInspectInfo } from "dockerode";
import type { DockerContext } from "../context.ts";
import { unless } from "../errors.ts";

/** Names the parts that the agent itself runs in the cluster. A part has no role, so that it is nobody's app. */
const LABEL_PART = "svc.part";

export type PartName = "gateway" | "registry" | "guard";

export function partLabels(serverId: string, part: PartName): Record<string, string> {
  return { [LABEL_SERVER]: serverId, [LABEL_PART]: part };
}

/** The end of a server's id is random, so that several agents of one cluster do not meet. */
export function partName(serverId: string, part: PartName | "parts"): string {
  return `svc-${part}-${serverId.slice(-12)}`;
}

/** Returns the id of the image of all parts. @throws SvcError base_image_unavailable */
export async function partImage(ctx: DockerContext): Promise<string> {
  const name = ctx.resolveImage(CLUSTER_IMAGE);
  const found = await unless([404], ctx.docker.getImage(name).inspect());
  if (found !== undefined) return found.Id;
  throw new SvcError(
    "base_image_unavailable",
    `The image ${name}, which the agent runs in a cluster, is not on the server. Build it there with ` +
      `\`npm run base-images -- ${CLUSTER_IMAGE.split(":")[0]}\`.`,
  );
}

/** The bridge of the parts alone. @returns its name */
export async function ensurePartsNetwork(ctx: DockerContext): Promise<string> {
  const name = partName(ctx.serverId, "parts");
  const labels = { [LABEL_SERVER]: ctx.serverId, [LABEL_PART]: "network" };
  const body = { Name: name, CheckDuplicate: true, Driver: "bridge", Labels: labels };
  if ((await unless([404], ctx.docker.getNetwork(name).inspect())) === undefined) {
    await unless([409], ctx.docker.createNetwork(body));
  }
  return name;
}

export type PartBody = Omit<ContainerCreateOptions, "name" | "Labels" | "Image">;

/**
 * Makes and starts a part as a container of this machine's engine, which starts it again whenever it ends. One of another
 * image, or with other settings, is replaced.
 * @returns the part, and whether it is new
 */
export async function ensurePart(
  ctx: DockerContext,
  part: PartName,
  body: PartBody,
): Promise<{ container: ContainerInspectInfo; isNew: boolean }> {
  const name = partName(ctx.serverId, part);
  const image = await partImage(ctx);
  const found = await unless([404], ctx.docker.getContainer(name).inspect());
  if (found && isCurrent(found, image, body)) {
    if (found.State.Running) return { container: found, isNew: false };
    await unless([304], ctx.docker.getContainer(found.Id).start());
    return { container: await ctx.docker.getContainer(found.Id).inspect(), isNew: false };
  }
  if (found) await unless([404, 409], ctx.docker.getContainer(found.Id).remove({ force: true }));
  const labels = partLabels(ctx.serverId, part);
  const made = await ctx.docker.createContainer({ ...body, name, Image: image, Labels: labels });
  await made.start();
  ctx.log.info({ part, container: made.id }, "a part of the cluster was made");
  return { container: await made.inspect(), isNew: true };
}

function isCurrent({ Image, Config, HostConfig }: ContainerInspectInfo, image: string, body: PartBody): boolean {
  const hasEnv = (body.Env ?? []).every((variable) => Config.Env.includes(variable));
  const ports = JSON.stringify(HostConfig.PortBindings ?? {}) === JSON.stringify(body.HostConfig?.PortBindings ?? {});
  return Image === image && hasEnv && ports;
}
