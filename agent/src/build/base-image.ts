import type Docker from "dockerode";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { createGuardedFetch, OutboundError, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { isIP } from "node:net";
import { isHubName, isPlatformName, type ImageName } from "./dockerfile/image-name.ts";
import { refused, type Place } from "./dockerfile/text/refusal.ts";
import { requireHarmlessTriggers } from "./dockerfile/triggers.ts";
import { LABEL_APP, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import type { OutboundPolicy } from "../ports.ts";
import { imageAdvice, imageUnavailable } from "./build-failure.ts";
import { engineMessage, isConnectionError, unless } from "../engine/errors.ts";
import type { FetchedImages } from "./additions/fetched-images.ts";
import { fetchImage } from "../engine/images.ts";

export interface BaseImages {
  docker: Docker;
  platform: { os: string; architecture: string };
  fetchedImages: FetchedImages;
  /** The owner of the build. */
  ownerId: string;
  outbound: OutboundPolicy;
  signal: AbortSignal;
  log: Logger;
}

/**
 * Sees to it that the image is in the engine, so that BuildKit asks no registry, and that a build may start from it.
 * @returns the variables that it sets
 * @throws SvcError build_failed, base_image_unavailable
 */
export async function requireBaseImage(images: BaseImages, image: ImageName, place: Place): Promise<readonly string[]> {
  requireNameForBuilds(image, place);
  const guard = createGuardedFetch(images.outbound);
  if (isLocalHost(image)) await requirePublicHost(guard, image, place);
  if (!(await find(images, image.full))) {
    if (!isHubName(image)) await requirePublicHost(guard, image, place);
    await fetch(images, image.full, image.short);
  }
  await images.fetchedImages.use(image.full);
  return usableEnvironment(images, image, place);
}

/** An image of a mirror that the operator has named, for a Dockerfile of the platform's own. */
export async function requireMirroredImage(images: BaseImages, name: string): Promise<void> {
  if (!(await find(images, name))) await fetch(images, name, name);
  await images.fetchedImages.use(name);
}

async function fetch(images: BaseImages, name: string, shownName: string): Promise<void> {
  await images.fetchedImages.remember(name, images.ownerId);
  await fetchImage(images, name, images.signal).catch((error: unknown) => {
    images.signal.throwIfAborted();
    if (isConnectionError(error)) throw error;
    throw imageUnavailable(shownName, engineMessage(error));
  });
}

/** The same sentence whether there is such an image or not. @throws SvcError build_failed */
export function requireNameForBuilds(image: ImageName, place: Place): void {
  if (!isPlatformName(image)) return;
  throw refused(
    place,
    `${image.short} is a name of the platform itself. Build from an image of a registry or a stage.`,
  );
}

/** Tells whether the host cannot be looked up, and so is refused before the engine is asked for it. */
function isLocalHost({ host }: ImageName): boolean {
  return isIP(host) !== 0 || /(?:^|\.)localhost$/.test(host);
}

async function requirePublicHost(guard: GuardedFetch, image: ImageName, place: Place): Promise<void> {
  try {
    await guard.addressesOf(image.host);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const problem = `the image ${image.short} cannot be fetched. ${error.message} ${imageAdvice(image.short)}`;
    throw new SvcError("base_image_unavailable", refused(place, problem).message, { cause: error });
  }
}

async function usableEnvironment(images: BaseImages, image: ImageName, place: Place): Promise<readonly string[]> {
  const found = await find(images, image.full);
  const labels = found?.Config.Labels ?? {};
  // Answers as if it were not there: whether somebody's image has a name is nobody's business.
  const isOurs = Object.hasOwn(labels, LABEL_APP) || Object.hasOwn(labels, LABEL_SERVER);
  if (found === undefined || isOurs) throw imageUnavailable(image.short, "not found");
  const { os, architecture } = images.platform;
  if (found.Os !== os || found.Architecture !== architecture) {
    const itsOwn = `${found.Os}/${found.Architecture}`;
    throw refused(place, `${image.short} is for ${itsOwn}; this server builds for ${os}/${architecture}.`);
  }
  requireHarmlessTriggers((found.Config.OnBuild as string[] | null) ?? [], image.short, place);
  return found.Config.Env ?? [];
}

function find({ docker }: BaseImages, name: string): Promise<Docker.ImageInspectInfo | undefined> {
  return unless([404], docker.getImage(name).inspect());
}
