import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Header, Pack } from "tar-stream";
import type { Selection } from "../domain/selection.ts";

/** A folder of this host that becomes a part of a tar stream. */
export interface TarSource {
  tar: Pack;
  directory: string;
  /** In front of each name: empty, or a path with a slash at its end. */
  prefix: string;
  signal: AbortSignal;
}

/** Writes what is selected below a folder of the source, read as fast as the stream is taken; links stay links. */
export async function writeFolder(source: TarSource, folder: string, selection: Selection): Promise<void> {
  const entries = await readdir(join(source.directory, folder), { withFileTypes: true });
  for (const entry of entries.toSorted(byName)) {
    // A folder of many names that are left out takes time; others have theirs in between.
    await setImmediate();
    source.signal.throwIfAborted();
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const inner = await selection.below(entry.name);
    if (!inner.isLeftOut) await writeEntry(source, name);
    if (entry.isDirectory() && (!inner.isLeftOut || inner.mayKeepBelow)) await writeFolder(source, name, inner);
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

type EntryHeader = Partial<Header> & { name: string };

/** Owner and umask of this host are not the app's business, so that the cache knows the same files again. */
async function writeEntry(source: TarSource, name: string): Promise<void> {
  const path = join(source.directory, name);
  const stat = await lstat(path);
  const mode = stat.mode & 0o100 ? 0o755 : 0o644;
  const header: EntryHeader = { name: `${source.prefix}${name}`, uid: 0, gid: 0, mtime: stat.mtime, mode };
  if (stat.isDirectory()) return writeWhole(source.tar, { ...header, type: "directory" });
  if (stat.isSymbolicLink()) {
    return writeWhole(source.tar, { ...header, type: "symlink", linkname: await readlink(path) });
  }
  if (stat.isFile()) return writeFile(source.tar, { ...header, size: stat.size }, path);
}

export function writeWhole(tar: Pack, header: EntryHeader, content: Buffer = Buffer.alloc(0)): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry({ ...header, size: content.length }, content, settle(resolve, reject));
  });
}

/** No faster than the engine reads. */
async function writeFile(tar: Pack, header: EntryHeader, path: string): Promise<void> {
  const written = Promise.withResolvers<void>();
  // Waited for only below; what ends the stream before says so here, where nobody listens yet.
  written.promise.catch(() => undefined);
  const entry = tar.entry(header, settle(written.resolve, written.reject));
  entry.on("error", () => undefined);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  for await (const chunk of file.createReadStream()) {
    if (!entry.write(chunk)) await Promise.race([written.promise, drained(entry)]);
  }
  entry.end(undefined);
  await written.promise;
}

function drained(entry: ReturnType<Pack["entry"]>): Promise<void> {
  return new Promise((resolve) => entry.once("drain", () => resolve()));
}

function settle(resolve: () => void, reject: (error: Error) => void): (error?: Error | null) => void {
  return (error) => (error ? reject(error) : resolve());
}
