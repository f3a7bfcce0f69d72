import { FETCH_SECONDS_MAX } from "@svc/shared/rules/step-limits.ts";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { formatBytes } from "../../platform/byte-size.ts";

export interface GitLimits {
  /** Most bytes of the objects that are fetched, and of the files that are checked out. */
  bytesMax: number;
  filesMax: number;
  /** Longest time without a byte or a word from the host. */
  silenceMsMax: number;
  /** Longest time of a whole checkout. */
  msMax: number;
}

export const DEFAULT_GIT_LIMITS: GitLimits = {
  // Larger repositories exist, but none that is an app's source alone.
  bytesMax: 2 * 1024 ** 3,
  filesMax: 200_000,
  // Hosts report every few seconds while they count objects.
  silenceMsMax: 60_000,
  msMax: FETCH_SECONDS_MAX * 1000,
};

/** The lesser of each bound. */
export function narrowed(limits: GitLimits, further: Partial<GitLimits> = {}): GitLimits {
  const { bytesMax = limits.bytesMax, filesMax = limits.filesMax } = further;
  return {
    ...limits,
    bytesMax: Math.max(0, Math.min(limits.bytesMax, bytesMax)),
    filesMax: Math.max(0, Math.min(limits.filesMax, filesMax)),
  };
}

export function tooLarge({ bytesMax, filesMax }: GitLimits): SvcError {
  return new SvcError(
    "repository_too_large",
    `The repository is larger than what can be fetched (${formatBytes(bytesMax)} or ${filesMax} files in one commit). ` +
      "Move large files out of it, for example into object storage.",
  );
}

/**
 * Watches a fetch into the folder: ends it through `abort` when it grows beyond the limit or when neither a byte nor a
 * sign of life has come for too long. Returns what stops the watch.
 */
export function watchFetch(options: {
  /** Where objects arrive: few files, so that looking is cheap. */
  directory: string;
  limits: GitLimits;
  /** Milliseconds of the last sign of life, as `performance.now()` counts. */
  lastSign: () => number;
  host: string;
  abort: (reason: SvcError) => void;
}): () => void {
  const { limits } = options;
  let bytesSeen = 0;
  let grewAt = performance.now();
  const look = async (): Promise<void> => {
    const bytes = await bytesIn(options.directory, limits.bytesMax);
    if (bytes > limits.bytesMax) return options.abort(tooLarge(limits));
    if (bytes !== bytesSeen) grewAt = performance.now();
    bytesSeen = bytes;
    if (performance.now() - Math.max(grewAt, options.lastSign()) > limits.silenceMsMax) {
      options.abort(silent(options.host, limits));
    }
  };
  // Often enough that a fast line cannot bring much more than the limit.
  const timer = setInterval(() => void look().catch(() => {}), Math.min(500, limits.silenceMsMax / 2));
  return () => clearInterval(timer);
}

function silent(host: string, { silenceMsMax }: GitLimits): SvcError {
  return new SvcError(
    "repository_unreachable",
    `The repository's host ${host} did not answer for ${Math.ceil(silenceMsMax / 1000)} seconds. Try again later.`,
  );
}

/** Adds file sizes up until they exceed `enough`. Files that vanish meanwhile count nothing. */
async function bytesIn(directory: string, enough: number): Promise<number> {
  let bytes = 0;
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  for (const name of names) {
    bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
    if (bytes > enough) break;
  }
  return bytes;
}

/**
 * Adds up the commit's files from `git ls-tree -r -z --long`, piece by piece, before any of them is written: a small
 * repository can name the same large tree a million times.
 */
export class TreeSize {
  #bytes = 0;
  #files = 0;
  #rest = "";
  readonly #limits: GitLimits;

  constructor(limits: GitLimits) {
    this.#limits = limits;
  }

  /** @returns false when the limit is passed */
  add(chunk: Buffer): boolean {
    const entries = (this.#rest + chunk.toString("latin1")).split("\0");
    this.#rest = entries.pop() ?? "";
    for (const entry of entries) {
      // "<mode> <type> <sha> <size>\t<path>"; the size of a submodule is "-".
      const size = Number(/^\d+ \w+ \w+ +(\d+)\t/.exec(entry)?.[1] ?? 0);
      this.#bytes += size;
      this.#files += 1;
    }
    return this.#bytes <= this.#limits.bytesMax && this.#files <= this.#limits.filesMax;
  }
}
