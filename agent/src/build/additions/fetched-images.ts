import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type Docker from "dockerode";
import { z } from "zod";
import { readIfPresent, writeDurably } from "../../platform/durable-file.ts";
import { engineMessage, unless } from "../../engine/errors.ts";

/** A project that is built less often than every two weeks can wait a minute for its base image. */
const UNUSED_MS_MAX = 14 * 24 * 60 * 60_000;
/** Some thirty usual base images with what they share, and half of what the build cache has. */
const BYTES_MAX = 10 * 1024 ** 3;

const FetchedImage = z.object({
  name: z.string(),
  /** Empty until it has come. */
  id: z.string(),
  /** The owner whose build had it fetched. */
  ownerId: z.string(),
  bytes: z.number(),
  usedAt: z.iso.datetime(),
});
type FetchedImage = z.infer<typeof FetchedImage>;

export interface FetchedImagesOptions {
  docker: Docker;
  /** Where they are remembered. */
  path: string;
  clock: Clock;
  log: Logger;
  bytesMax?: number;
}

/**
 * The images that builds had fetched: the engine would keep them for ever. Those that were there before, or came by
 * somebody else's hand, are never touched. Builds have one turn after another, and so have these calls.
 */
export class FetchedImages {
  readonly #options: FetchedImagesOptions;

  constructor(options: FetchedImagesOptions) {
    this.#options = options;
  }

  /** Runs before the image is fetched, so that an agent that is killed meanwhile knows it, too. */
  async remember(name: string, ownerId: string): Promise<void> {
    const others = (await this.#read()).filter((image) => image.name !== name);
    await this.#write([...others, { name, id: "", ownerId, bytes: 0, usedAt: this.#now() }]);
  }

  /** A build uses the image that has this name now. */
  async use(name: string): Promise<void> {
    const images = await this.#read();
    const known = images.find((image) => image.name === name);
    const found = known && (await unless([404], this.#options.docker.getImage(name).inspect()));
    if (known === undefined || found === undefined) return;
    const others = images.filter((image) => image !== known);
    const isReplaced = known.id !== "" && known.id !== found.Id;
    const used = { ...known, id: found.Id, bytes: found.Size, usedAt: this.#now() };
    await this.#write(isReplaced ? others : [...others, used]);
  }

  /**
   * Runs after a build: removes those that none has used for long, and the least recently used of more than may be
   * kept.
   */
  async removeUnused(): Promise<void> {
    const { clock, bytesMax = BYTES_MAX } = this.#options;
    let bytes = (await this.#read()).reduce((sum, image) => sum + image.bytes, 0);
    await this.#removeThose(async (image) => {
      // The image did not come, or came too late for its build.
      if (image.id === "") return true;
      const isUnused = clock.now().getTime() - Date.parse(image.usedAt) > UNUSED_MS_MAX;
      if (!isUnused && bytes <= bytesMax) return false;
      bytes -= image.bytes;
      return true;
    });
  }

  /** Removes the least recently used until there is room, or none is left. */
  async removeUntil(hasRoom: () => Promise<boolean>): Promise<void> {
    await this.#removeThose(async () => !(await hasRoom()));
  }

  /** @param isDue is asked of the least recently used first */
  async #removeThose(isDue: (image: FetchedImage) => Promise<boolean>): Promise<void> {
    const images = (await this.#read()).toSorted((a, b) => a.usedAt.localeCompare(b.usedAt));
    const gone = new Set<FetchedImage>();
    for (const image of images) {
      if (!(await isDue(image))) continue;
      if (await this.#remove(image)) gone.add(image);
    }
    if (gone.size > 0) await this.#write(images.filter((image) => !gone.has(image)));
  }

  /**
   * Removes an image by name and without force: what a container uses, or another name holds, stays.
   * @returns whether it is gone
   */
  async #remove(image: FetchedImage): Promise<boolean> {
    const { docker, log } = this.#options;
    const { name, id, ownerId, bytes } = image;
    try {
      const found = await unless([404], docker.getImage(name).inspect());
      if (found === undefined || (id !== "" && found.Id !== id)) return true;
      await docker.getImage(name).remove();
      log.info({ image: name, ownerId, bytes }, "removed an image that a build had fetched");
      return true;
    } catch (error) {
      log.info({ image: name, reason: engineMessage(error) }, "an image that a build had fetched stays");
      return false;
    }
  }

  #now(): string {
    return this.#options.clock.now().toISOString();
  }

  async #read(): Promise<FetchedImage[]> {
    const { path, log } = this.#options;
    try {
      return FetchedImage.array().parse(JSON.parse((await readIfPresent(path)) ?? "[]"));
    } catch (err) {
      log.warn({ err, path }, "the list of images that builds had fetched is damaged; a new one is begun");
      return [];
    }
  }

  #write(images: readonly FetchedImage[]): Promise<void> {
    return writeDurably(this.#options.path, `${JSON.stringify(images)}\n`);
  }
}
