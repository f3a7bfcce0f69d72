import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "@svc/shared/platform/sync-directory.ts";
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

/** The kernel's error codes when a file system, or a quota on it, has no room left. */
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

/** The part of a stream that was written. */
export interface Written {
  bytes: number;
  /** The first 512 bytes at most. */
  head: Buffer;
}

/**
 * Writes a stream to a file that has its name only once it is whole and on the disk. The directory is made when missing.
 * @throws Error of the stream or of the disk, or when `isWhole` says no; then nothing of it stays
 */
export async function writeStreamDurably(
  path: string,
  stream: AsyncIterable<Buffer>,
  isWhole: (written: Written) => boolean,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}${DRAFT_SUFFIX}`;
  try {
    await writeDraft(draft, stream, isWhole);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** The suffix of a file that is being written. */
export const DRAFT_SUFFIX = ".part";
const HEAD_BYTES = 512;

async function writeDraft(
  draft: string,
  stream: AsyncIterable<Buffer>,
  isWhole: (written: Written) => boolean,
): Promise<void> {
  const file = await open(draft, "w", 0o600);
  try {
    const written: Written = { bytes: 0, head: Buffer.alloc(0) };
    for await (const chunk of stream) {
      await file.writeFile(chunk);
      written.bytes += chunk.length;
      if (written.head.length < HEAD_BYTES) written.head = Buffer.concat([written.head, chunk]).subarray(0, HEAD_BYTES);
    }
    await file.sync();
    const { size } = await file.stat();
    if (size !== written.bytes || !isWhole(written)) throw new Error(`${draft} is not whole: ${size} bytes`);
  } finally {
    await file.close();
  }
}
