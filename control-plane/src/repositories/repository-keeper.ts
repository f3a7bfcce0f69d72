import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import { takeGitPlace } from "./hosting/git-places.ts";
import type { Hosting } from "./hosting/hosting.ts";
import { GIT_MS_MAX } from "./hosting/git-bounds.ts";
import { needsRepack, removeLeftovers, repack } from "./hosting/repository-upkeep.ts";

const INTERVAL_MS = 10 * 60_000;
/** A repository that hit a bound, or is broken, will most likely do so again. */
const AFTER_FAILURE_MS = 24 * 3_600_000;

export interface RepositoryKeeperParts {
  hosting: Pick<Hosting, "folders" | "disk">;
  clock: Clock;
  log: Logger;
}

/**
 * Keeps the hosted repositories small and quick: removes what killed processes left behind, and packs those anew that many
 * pushes have scattered, one at a time. Any number of processes may do so at once.
 */
export function startRepositoryKeeper({ hosting, clock, log }: RepositoryKeeperParts) {
  const { folders, disk } = hosting;
  const notBefore = new Map<string, number>();

  async function keep(id: string, signal: AbortSignal): Promise<void> {
    const path = folders.pathOf(id);
    const now = clock.now().getTime();
    await removeLeftovers(path, new Date(now - 2 * GIT_MS_MAX));
    if (now < (notBefore.get(id) ?? 0) || !(await needsRepack(path))) return;
    // A place of the deploys: visitors can't keep the upkeep waiting.
    const leavePlace = await takeGitPlace(undefined, signal);
    try {
      const bytes = await folders.sizeOf(id);
      // The new pack stands beside the old ones until it is whole.
      const giveBackRoom = await disk.take(bytes, "packing a repository anew");
      notBefore.set(id, now + AFTER_FAILURE_MS);
      await repack(path, signal).finally(giveBackRoom);
      notBefore.delete(id);
      log.info({ repository_id: id, bytes, bytes_after: await folders.sizeOf(id) }, "a repository was packed anew");
    } finally {
      leavePlace();
    }
  }

  async function work(signal: AbortSignal): Promise<void> {
    const ids = await folders.ids().catch((): string[] => []);
    for (const id of ids) {
      if (signal.aborted) return;
      await keep(id, signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, repository_id: id }, "a repository could not be kept");
      });
    }
    for (const id of notBefore.keys()) if (!ids.includes(id)) notBefore.delete(id);
  }

  const failing = "repositories could not be kept";
  return startRepeating("repository keeper", { everyMs: INTERVAL_MS, failing, work, clock, log });
}
