import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "@svc/shared/sync-directory.ts";
import { SvcError } from "@svc/shared/errors.ts";

/**
 * Replaces a file's content so that a crash at any moment, also of the host, leaves the old content or the new.
 * One writer at a time: the caller serialises.
 */
export async function writeDurably(path: string, content: string, mode = 0o600): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, "w", mode);
  try {
    await file.chmod(mode);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncDirectory(dirname(path));
}

/** What the kernel says when a file system, or a quota on it, has no room left. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** The error, as `disk_full` with a sentence for the operator where that is what it means. */
export function explainFullDisk(error: unknown): unknown {
  const isFull = error instanceof Error && "code" in error && typeof error.code === "string" && FULL.has(error.code);
  if (!isFull) return error;
  return new SvcError(
    "disk_full",
    "The disk that holds the agent's data directory is full. Free space on the server, then try again.",
    { cause: error },
  );
}

/** The file's text; undefined when there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
