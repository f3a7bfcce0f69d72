import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Db } from "../platform/database/database.ts";
import type { Hosting } from "./hosting/hosting.ts";
import { deleteUnusedRepositories, hasRepository } from "./repositories.store.ts";

/** A folder is made seconds before its row is committed. */
const STRAY_MS_MIN = 3_600_000;
/** Between making a repository and deploying from it lies a push. */
const UNUSED_MS_MIN = 24 * 3_600_000;

interface SweepParts {
  db: Db;
  hosting: Pick<Hosting, "baseUrl" | "folders">;
  clock: Clock;
  log: Logger;
}

/** Deletes the repositories that no app has been deployed from for a day. Their folders are strays then. */
export async function removeUnused({ db, hosting, clock }: SweepParts): Promise<void> {
  await deleteUnusedRepositories(db, `${hosting.baseUrl}/git/`, new Date(clock.now().getTime() - UNUSED_MS_MIN));
}

/** Removes folders that belong to no repository. */
export async function removeStrays({ db, hosting, clock, log }: SweepParts): Promise<void> {
  for (const id of await hosting.folders.unchangedSince(new Date(clock.now().getTime() - STRAY_MS_MIN))) {
    if (await hasRepository(db, id)) continue;
    await hosting.folders.remove(id);
    log.info({ repository_id: id }, "a folder without a repository was removed");
  }
}
