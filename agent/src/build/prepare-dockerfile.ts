import { join } from "node:path";
import { readInside } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type Docker from "dockerode";
import { planAdditions, type Additions, type Fetch } from "./dockerfile/additions.ts";
import { canonicalText, type CanonicalText } from "./dockerfile/canonical-text.ts";
import type { ImageName } from "./dockerfile/image-name.ts";
import { readDockerfile, type BuildFacts, type Dockerfile } from "./dockerfile/stages.ts";
import { shownNames, type ShownNames } from "./dockerfile/shown-names.ts";
import type { BuildRequest, Git } from "../ports.ts";
import { makeAdditionsImage, type AdditionsImage } from "./additions/additions-image.ts";
import { requireBaseImage, requireMirroredImage, requireNameForBuilds } from "./base-image.ts";
import { fetchAdditions } from "./additions/fetch-additions.ts";
import type { FetchedImages } from "./additions/fetched-images.ts";
import type { HostNames } from "../engine/network/host-names.ts";

export interface Preparation {
  docker: Docker;
  git: Git;
  serverId: string;
  names: HostNames;
  fetchedImages: FetchedImages;
  platform: BuildFacts["platform"];
  hasHeredocs: boolean;
  resolveImage?: (officialName: string) => string;
  log: Logger;
}

/** A Dockerfile that is ready to be built: nothing in it that was not looked at. */
export interface PreparedDockerfile {
  text: string;
  shown: ShownNames;
  /** Removes what only the build needed. */
  clear(): Promise<void>;
}

/**
 * Reads the Dockerfile, makes sure of every image that it names, fetches what it adds, and writes it anew for BuildKit
 * (control-plane/decisions, 013).
 * @throws SvcError build_failed, base_image_unavailable; the signal's reason
 */
export async function prepareDockerfile(preparation: Preparation, request: BuildRequest): Promise<PreparedDockerfile> {
  const { platform, hasHeredocs, names } = preparation;
  const facts = { platform, hasHeredocs, buildArgs: request.buildArgs };
  const dockerfile = readDockerfile(textOf(request), facts);
  const mirrorOf = mirror(preparation, request);
  const environments = await requireImages(preparation, request, dockerfile, mirrorOf);
  const additions = planAdditions(dockerfile, facts, (image) => environments.get(image) ?? []);
  const { image, pathOf } = await fetchAll(preparation, request, additions);
  const salt = names.saltOf(request.app.ownerId);
  const written = canonicalText(dockerfile, {
    additions,
    salt,
    fetched: { image: image?.name ?? "", pathOf },
    resolveImage: (one) => mirrorOf(one) ?? one.full,
  });
  return preparedOf(preparation, request, dockerfile, written, image);
}

function preparedOf(
  { names }: Preparation,
  { app }: BuildRequest,
  { stages }: Dockerfile,
  written: CanonicalText,
  image: AdditionsImage | undefined,
): PreparedDockerfile {
  const hidden = [names.saltOf(app.ownerId), names.repositoryOf(app.id), names.fetchedOf(app.id)];
  const shown = shownNames({ written, hidden, stages: stages.length });
  return { text: written.text, shown, clear: async () => image?.remove() };
}

function textOf({ directory, dockerfile }: BuildRequest): string {
  if ("text" in dockerfile) return dockerfile.text;
  const text = readInside(directory, dockerfile.path);
  if (text !== undefined) return text;
  throw new SvcError("build_failed", `The repository has no file ${dockerfile.path}. Add one.`);
}

/** A mirror's images instead of the official ones, in Dockerfiles that are the platform's own. */
function mirror({ resolveImage }: Preparation, { dockerfile }: BuildRequest): (image: ImageName) => string | undefined {
  if ("path" in dockerfile || !resolveImage) return () => undefined;
  return (image) => {
    const name = resolveImage(image.short);
    return name === image.short ? undefined : name;
  };
}

/** @returns the variables of each image, by its full name */
async function requireImages(
  preparation: Preparation,
  { app, outbound, signal }: BuildRequest,
  dockerfile: Dockerfile,
  mirrorOf: (image: ImageName) => string | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const images = { ...preparation, ownerId: app.ownerId, outbound, signal };
  const environments = new Map<string, readonly string[]>();
  // All names first, so that nothing is fetched for a Dockerfile that is refused.
  for (const { image, place } of dockerfile.images) requireNameForBuilds(image, place);
  for (const { image, place, isReached } of dockerfile.images) {
    if (!isReached || environments.has(image.full)) continue;
    const mirrored = mirrorOf(image);
    if (mirrored !== undefined) await requireMirroredImage(images, mirrored);
    environments.set(image.full, mirrored === undefined ? await requireBaseImage(images, image, place) : []);
  }
  return environments;
}

async function fetchAll(
  preparation: Preparation,
  { app, scratch, outbound, output, signal }: BuildRequest,
  additions: Additions,
): Promise<{ image: AdditionsImage | undefined; pathOf: (fetch: Fetch) => string }> {
  const fetches = [...additions.values()].flatMap(({ parts }) =>
    parts.flatMap((part) => ("fetch" in part ? [part.fetch] : [])),
  );
  if (fetches.length === 0) return { image: undefined, pathOf: () => "" };
  const { git } = preparation;
  const fetched = await fetchAdditions(fetches, { git, directory: join(scratch, "added"), outbound, output, signal });
  const distinct = [...new Set(fetched.values())];
  const image = await makeAdditionsImage({ ...preparation, signal }, preparation.names.fetchedOf(app.id), distinct);
  return { image, pathOf: (fetch) => image.pathOf(fetched.get(fetch)!) };
}
