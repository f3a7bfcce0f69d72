import { STEP_SECONDS } from "@svc/shared/rules/step-limits.ts";
import type { ImageInfo, ImageInspectInfo } from "dockerode";
import { SvcError } from "@svc/shared/errors.ts";
import { labelFilter, LABEL_APP, LABEL_DEPLOY, LABEL_FETCHED, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import type { AppRef } from "../ports.ts";
import type { DockerContext } from "./context.ts";
import { readToEnd } from "./engine-answer.ts";
import { engineMessage, isConnectionError, unless } from "./errors.ts";

/** A base image of 300 MB over 10 Mbit/s. The step that needs it has a minute left for the rest. */
const PULL_SECONDS_MAX = STEP_SECONDS.provision_db - 60;

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

export interface AppImage {
  digest: string;
  deployId: string;
  createdAt: Date;
  /** Names with tags. */
  names: string[];
}

export async function listImages(ctx: DockerContext, appId: string): Promise<AppImage[]> {
  const images = await ctx.docker.listImages({ filters: labelFilter({ [LABEL_APP]: appId }) });
  return images
    .filter((image) => isOwnImage(ctx, image, appId))
    .map((image) => {
      const deployId = image.Labels?.[LABEL_DEPLOY] ?? "";
      const names = (image.RepoTags ?? []).filter((name) => !name.startsWith("<none>"));
      return { digest: image.Id, deployId, createdAt: timeOf(deployId) ?? new Date(image.Created * 1000), names };
    })
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** A build from the cache keeps the time of its last layer: the deploy's id knows better when its image came to be. */
function timeOf(deployId: string): Date | undefined {
  if (!UUID_V7.test(deployId)) return undefined;
  return new Date(Number.parseInt(deployId.slice(0, 8) + deployId.slice(9, 13), 16));
}

export interface ImageFacts {
  /** The engine's. */
  id: string;
  /** Whether its processes begin as root, and expect to change to another user by themselves. */
  startsAsRoot: boolean;
}

function factsOf({ Id, Config }: ImageInspectInfo): ImageFacts {
  // `name` or `name:group`; without one it is root.
  const user = Config.User?.split(":")[0] ?? "";
  return { id: Id, startsAsRoot: user === "" || user === "root" || Number(user) === 0 };
}

/** A base image, or one of the app's own. @throws SvcError not_found, base_image_unavailable */
export async function requireImage(ctx: DockerContext, image: string, app: AppRef): Promise<ImageFacts> {
  if (image.startsWith("sha256:")) {
    const found = await unless([404], ctx.docker.getImage(image).inspect());
    if (found !== undefined && isOwn(ctx, found, app)) return factsOf(found);
    throw new SvcError("not_found", `The image ${image} is not on the server any more. Deploy again to build it.`);
  }
  const name = ctx.resolveImage(image);
  const found = await unless([404], ctx.docker.getImage(name).inspect());
  if (found !== undefined) return factsOf(found);
  await fetchImage(ctx, name, AbortSignal.timeout(PULL_SECONDS_MAX * 1000)).catch((error: unknown) => {
    if (isConnectionError(error)) throw error;
    throw notFetched(name, error);
  });
  return factsOf(await ctx.docker.getImage(name).inspect());
}

/** Has the engine fetch the image from its registry. @throws Error in the engine's words */
export async function fetchImage(
  { docker, log }: Pick<DockerContext, "docker" | "log">,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  log.info({ image: name }, "fetching an image");
  await readToEnd((await docker.pull(name, { abortSignal: signal })) as AsyncIterable<Buffer>);
}

function notFetched(name: string, error: unknown): SvcError {
  return new SvcError(
    "base_image_unavailable",
    `The image ${name} is not on the server and cannot be fetched. Build it there with ` +
      `\`npm run base-images -- ${name}\`, or name a mirror in SVC_BASE_IMAGES of the agent.`,
    { cause: engineMessage(error) },
  );
}

/** Whether the image was built here, or a move brought it: this host alone can have named it so. */
function isOwnImage(
  ctx: DockerContext,
  { Labels: labels, RepoTags: names }: Pick<ImageInfo, "Labels"> & { RepoTags?: string[] | null | undefined },
  appId: string,
): boolean {
  if (labels?.[LABEL_APP] !== appId) return false;
  const repository = ctx.names.repositoryOf(appId);
  return labels[LABEL_SERVER] === ctx.serverId || (names ?? []).some((name) => name.startsWith(`${repository}:`));
}

function isOwn(ctx: DockerContext, { Config, RepoTags }: ImageInspectInfo, app: AppRef): boolean {
  return isOwnImage(ctx, { Labels: Config.Labels, RepoTags }, app.id);
}

export async function tagImage(ctx: DockerContext, digest: string, app: AppRef, tag: string): Promise<void> {
  const image = await unless([404], ctx.docker.getImage(digest).inspect());
  if (image === undefined || !isOwn(ctx, image, app)) {
    throw new SvcError("not_found", `The app ${app.name} has no image ${digest} on this server.`);
  }
  await ctx.docker.getImage(digest).tag({ repo: ctx.names.repositoryOf(app.id), tag });
}

/**
 * Removes by name first, so that the engine never needs force, which would also take images that stopped containers
 * need.
 */
export async function removeImages(ctx: DockerContext, appId: string, deployId: string): Promise<void> {
  const images = (await listImages(ctx, appId)).filter((image) => image.deployId === deployId);
  for (const image of images) {
    const users = await ctx.docker.listContainers({ all: true, filters: { ancestor: [image.digest] } });
    if (users.some((container) => container.ImageID === image.digest)) continue;
    // Another agent of this engine may have it, too, since the app was moved there.
    const own = image.names.filter((name) => !isOfOtherAgent(ctx, name, appId));
    for (const name of own) await remove(ctx, name);
    if (own.length < image.names.length) continue;
    await remove(ctx, image.digest);
    ctx.log.info({ app: appId, deploy: deployId, image: image.digest }, "image removed");
  }
}

function isOfOtherAgent(ctx: DockerContext, name: string, appId: string): boolean {
  return name.startsWith("svc/") && !name.startsWith(`${ctx.names.repositoryOf(appId)}:`);
}

/** Layers that other images share stay, and so do parents, which may be somebody else's. */
async function remove(ctx: DockerContext, name: string): Promise<void> {
  await unless([404], ctx.docker.getImage(name).remove({ noprune: true }));
}

/**
 * Takes the names away from this server's images that somebody could guess, or that another secret has made. Tags stay.
 * The files that a build had fetched when the agent was killed go, too.
 */
export async function hideImageNames(ctx: DockerContext): Promise<void> {
  await removeAdditionsImages(ctx);
  const images = await ctx.docker.listImages({ filters: labelFilter({ [LABEL_SERVER]: ctx.serverId }) });
  for (const { Id: id, Labels: labels, RepoTags: names } of images) {
    const appId = labels?.[LABEL_APP] ?? "";
    const repository = ctx.names.repositoryOf(appId);
    for (const name of names ?? []) {
      if (appId === "" || !name.startsWith("svc/") || name.startsWith(`${repository}:`)) continue;
      await ctx.docker.getImage(id).tag({ repo: repository, tag: name.slice(name.indexOf(":") + 1) });
      await remove(ctx, name);
      ctx.log.info({ app: appId, image: id }, "an image of an app got a name that nobody can guess");
    }
  }
}

/** Removes the images of fetched files that a killed agent has left. */
async function removeAdditionsImages({ docker, serverId }: DockerContext): Promise<void> {
  const filters = { label: [`${LABEL_SERVER}=${serverId}`, `${LABEL_FETCHED}=1`] };
  for (const { Id: id } of await docker.listImages({ filters })) {
    await unless([404, 409], docker.getImage(id).remove({ force: true }));
  }
}
