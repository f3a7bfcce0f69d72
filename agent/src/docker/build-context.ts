import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { pack, type Header, type Pack } from "tar-stream";
import { parseDockerIgnore, type IsIgnored } from "../domain/docker-ignore.ts";
import { readInside } from "@svc/shared/checkout-files.ts";

/** Where the Dockerfile that is built lies in the context: a name that no repository has, the same for every build. */
export const WRITTEN_DOCKERFILE = ".svc.Dockerfile";

/** In a repository, whatever is in them. */
const NEVER_SENT = [".git", WRITTEN_DOCKERFILE];

export interface BuildContext {
  /** Ends with an error when a file cannot be read. */
  stream: Readable;
  /** Path of the Dockerfile inside it. */
  dockerfile: string;
}

/**
 * The checkout as a tar stream, read as fast as the engine takes it. Honours `.dockerignore` (or the one named after
 * the Dockerfile), leaves out `.git`, keeps symbolic links as links. The Dockerfile that is built is only in the
 * stream. Ends with the signal's reason when it aborts.
 * @throws SvcError build_failed when the `.dockerignore` is beyond what is read
 */
export function packContext(
  directory: string,
  dockerfile: { text: string; path?: string | undefined },
  signal: AbortSignal,
): BuildContext {
  const rules =
    readInside(directory, `${dockerfile.path ?? WRITTEN_DOCKERFILE}.dockerignore`) ??
    readInside(directory, ".dockerignore") ??
    "";
  const { isIgnored, hasExceptions } = parseDockerIgnore(rules);
  const tar = pack();
  const source: Source = {
    tar,
    directory,
    signal,
    isLeftOut: (name) => NEVER_SENT.includes(name) || isIgnored(name),
    hasExceptions,
  };
  void writeAll(source, dockerfile.text).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return { stream: Readable.from(tar, { objectMode: false }), dockerfile: WRITTEN_DOCKERFILE };
}

interface Source {
  tar: Pack;
  directory: string;
  signal: AbortSignal;
  isLeftOut: IsIgnored;
  /** Whether something in a folder that is left out may be kept. */
  hasExceptions: boolean;
}

async function writeAll(source: Source, text: string): Promise<void> {
  const header = { name: WRITTEN_DOCKERFILE, mode: 0o644, mtime: new Date(0) };
  await writeWhole(source.tar, header, Buffer.from(text));
  await writeFolder(source, "");
}

async function writeFolder(source: Source, folder: string): Promise<void> {
  const entries = await readdir(join(source.directory, folder), { withFileTypes: true });
  for (const entry of entries.toSorted(byName)) {
    // Holding names against many rules takes time; others have theirs in between.
    await setImmediate();
    source.signal.throwIfAborted();
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const isLeftOut = source.isLeftOut(name);
    if (!isLeftOut) await writeEntry(source, name);
    if (entry.isDirectory() && (!isLeftOut || (!NEVER_SENT.includes(name) && source.hasExceptions))) {
      await writeFolder(source, name);
    }
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

type EntryHeader = Partial<Header> & { name: string };

/** Owner and umask of this host are not the app's business, so that the cache knows the same files again. */
async function writeEntry(source: Source, name: string): Promise<void> {
  const path = join(source.directory, name);
  const stat = await lstat(path);
  const header: EntryHeader = { name, uid: 0, gid: 0, mtime: stat.mtime, mode: stat.mode & 0o100 ? 0o755 : 0o644 };
  if (stat.isDirectory()) return writeWhole(source.tar, { ...header, type: "directory" });
  if (stat.isSymbolicLink()) {
    return writeWhole(source.tar, { ...header, type: "symlink", linkname: await readlink(path) });
  }
  if (stat.isFile()) return writeFile(source.tar, { ...header, size: stat.size }, path);
}

function writeWhole(tar: Pack, header: EntryHeader, content: Buffer = Buffer.alloc(0)): Promise<void> {
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
