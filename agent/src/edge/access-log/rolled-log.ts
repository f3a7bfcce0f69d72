import type { BigIntStats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Where reading goes on. */
export interface LogPosition {
  /** Inode and time of birth: the first stays when a file is renamed, and may be given to another when it is removed. */
  file: string;
  /** Bytes. */
  offset: number;
}

/** Bytes read at once. The longest line has a header's 64 KiB, six times that when all of it is escaped. */
const CHUNK_BYTES = 1024 * 1024;

export interface RolledLogOptions {
  directory: string;
  /** Picks the log's files of those in the directory, oldest first. */
  filesOf: (names: readonly string[]) => string[];
}

/**
 * The next whole lines of a log that another process writes and rolls, and where to go on. Starts with the oldest file
 * that there is, when the position's file is gone or there was none. The same position: there is
 * nothing new.
 * @param until where reading ends; undefined for the log's end
 */
export async function readRolledLog(
  options: RolledLogOptions,
  from: LogPosition | undefined,
  until?: LogPosition,
): Promise<{ lines: string[]; position: LogPosition | undefined }> {
  let files = await filesOf(options);
  const isMissing = (): boolean => from !== undefined && files.every(({ id }) => id !== from.file);
  // Renamed between the list and the look at each.
  if (isMissing()) files = await filesOf(options);
  const first = files.findIndex(({ id }) => id === from?.file);
  let position = from;
  for (const { path, id } of files.slice(Math.max(0, first))) {
    const offset = id === from?.file ? from.offset : 0;
    const isLast = id === until?.file;
    const { lines, read } = await readLines(path, id, { from: offset, to: isLast ? until.offset : Infinity });
    position = { file: id, offset: offset + read };
    if (read > 0) return { lines, position };
    if (isLast) break;
  }
  return { lines: [], position };
}

interface LogFile {
  path: string;
  id: string;
}

/** Whether the position's file is still there. */
export async function isInRolledLog(options: RolledLogOptions, position: LogPosition): Promise<boolean> {
  return (await filesOf(options)).some(({ id }) => id === position.file);
}

async function filesOf({ directory, filesOf: pick }: RolledLogOptions): Promise<LogFile[]> {
  const names = pick(await readdir(directory).catch(() => []));
  return (await Promise.all(names.map((name) => look(join(directory, name))))).flat();
}

async function look(path: string): Promise<LogFile[]> {
  try {
    return [{ path, id: idOf(await stat(path, { bigint: true })) }];
  } catch {
    // Renamed or removed meanwhile: the next look finds what is there.
    return [];
  }
}

function idOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}-${birthtimeNs}`;
}

async function readLines(
  path: string,
  id: string,
  { from, to }: { from: number; to: number },
): Promise<{ lines: string[]; read: number }> {
  const none = { lines: [], read: 0 };
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return none;
  try {
    // Rolled between the two: what is there now is another file.
    if (idOf(await file.stat({ bigint: true })) !== id) return none;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, to - from), from);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    // No line is as long as the chunk: it is skipped rather than waited for.
    if (end === 0) return { lines: [], read: bytesRead === CHUNK_BYTES ? bytesRead : 0 };
    return { lines: buffer.toString("utf8", 0, end - 1).split("\n"), read: end };
  } finally {
    await file.close();
  }
}
