import type { Db } from "../../platform/database/database.ts";
import { readRepositoryIds, type RepositoryRow } from "../repositories.store.ts";
import { OWNER_BYTES_MAX, PUSH_BOUNDS, REPOSITORY_BYTES_MAX } from "./git-bounds.ts";
import type { Hosting } from "./hosting.ts";
import type { Admission } from "./http-backend.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { RepositoryFolders } from "./repository-folders.ts";

/**
 * Finds whether the repository, its owner and the disk have room for a push.
 * @throws SvcError repository_full, disk_full
 */
export async function admitPush(
  db: Db,
  { folders, disk }: Pick<Hosting, "folders" | "disk">,
  repository: RepositoryRow,
): Promise<Admission> {
  await requireRoom({ db, folders }, repository);
  const refCount = await folders.refCount(repository.id);
  // The pack is one file, and the bound of a file is the kernel's.
  return { refCount, leave: await disk.take(PUSH_BOUNDS.fileBytes, "the push") };
}

/**
 * Refuses a push where the repository or all of its owner's are full. Pushes that run at the same time may go beyond that
 * together: their number is bounded, and so is each of them.
 * @throws SvcError repository_full
 */
async function requireRoom(
  { db, folders }: { db: Db; folders: Pick<RepositoryFolders, "sizeOf"> },
  repository: RepositoryRow,
): Promise<void> {
  if ((await folders.sizeOf(repository.id)) >= REPOSITORY_BYTES_MAX) {
    throw full(`This repository has reached its ${inGib(REPOSITORY_BYTES_MAX)}`, "start a new one without large files");
  }
  const ids = await readRepositoryIds(db, repository.owner_id);
  const sizes = await Promise.all(ids.map((id) => folders.sizeOf(id)));
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) < OWNER_BYTES_MAX) return;
  throw full(
    `Your ${ids.length} repositories have reached their ${inGib(OWNER_BYTES_MAX)} together`,
    "purge apps that you do not need",
  );
}

function full(what: string, advice: string): SvcError {
  return new SvcError("repository_full", `${what}, so nothing more can be pushed: ${advice}.`);
}

function inGib(bytes: number): string {
  return `${bytes / 1024 ** 3} GiB`;
}
