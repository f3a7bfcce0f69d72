import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { Fetch } from "../dockerfile/additions.ts";
import type { Git, OutboundPolicy, StepOutput } from "../../ports.ts";
import { ADDITION_LIMITS, type Addition, type AdditionLimits } from "./addition.ts";
import { fetchFile, requireChecksum } from "./fetch-file.ts";
import { fetchRepository } from "./fetch-repository.ts";

export interface FetchOptions {
  git: Git;
  /** Is made when missing; whoever made the request removes it. */
  directory: string;
  outbound: OutboundPolicy;
  output: StepOutput;
  signal: AbortSignal;
}

/**
 * Fetches what ADD instructions name, as the platform and not as the engine, from public addresses alone. The same
 * address is fetched once.
 * @throws SvcError build_failed naming line and reason, disk_full; the signal's reason
 */
export async function fetchAdditions(
  fetches: readonly Fetch[],
  { git, directory, outbound, output, signal }: FetchOptions,
): Promise<ReadonlyMap<Fetch, Addition>> {
  const guard = createGuardedFetch(outbound);
  const known = new Map<string, Addition>();
  const additions = new Map<Fetch, Addition>();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const fetch of fetches) {
    const place = { path: join(directory, String(known.size)), left: leftOf([...known.values()]), output, signal };
    const addition =
      known.get(sourceOf(fetch)) ??
      (fetch.kind === "file"
        ? await fetchFile(guard, fetch, place)
        : await fetchRepository(git, fetch, { ...place, outbound }));
    known.set(sourceOf(fetch), addition);
    if (fetch.kind === "file") requireChecksum(fetch, addition);
    additions.set(fetch, addition);
  }
  return additions;
}

/** Equal for what is the same. */
function sourceOf(fetch: Fetch): string {
  return JSON.stringify([fetch.kind, fetch.url.href, ...(fetch.kind === "file" ? [] : [fetch.ref, fetch.folder])]);
}

function leftOf(additions: readonly Addition[]): AdditionLimits {
  const { bytesMax, filesMax } = ADDITION_LIMITS;
  return {
    bytesMax: additions.reduce((left, { bytes }) => left - bytes, bytesMax),
    filesMax: additions.reduce((left, { files }) => left - files, filesMax),
  };
}
