import type { Db } from "../../platform/database/database.ts";
import type { RepositoryRow } from "../repositories.store.ts";
import { PUSH_BOUNDS } from "./git-bounds.ts";
import type { Hosting } from "./hosting.ts";
import type { Admission } from "./http-backend.ts";
import { requireRoom } from "./require-room.ts";

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
