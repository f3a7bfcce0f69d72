import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { Header, Pack } from "tar-stream";
import type { Selection } from "../../platform/selection.ts";

/** A folder of this host that becomes a part of a tar stream. */
export interface TarSource {
  tar: Pack;
  directory: string;
  /** Stands in front of each name: empty, or a path with a slash at its end. */
  prefix: string;
  signal: AbortSignal;
}

/** Writes what is selected below a folder of the source, read as fast as the stream is taken; links stay links. */
export function writeFolder(source: TarSource, folder: string, selection: Selection): Promise<void> {
  return writeBelow(source, Buffer.from(folder), selection);
}

/** Names are bytes: those of a repository may be in any encoding. */
async function writeBelow(source: TarSource, folder: Buffer, selection: Selection): Promise<void> {
  const entries = await readdir(pathOf(source, folder), { withFileTypes: true, encoding: "buffer" });
  for (const entry of entries.toSorted((a, b) => Buffer.compare(a.name, b.name))) {
    // A folder of many names that are left out takes time; others have theirs in between.
    await setImmediate();
    source.signal.throwIfAborted();
    const name = folder.length === 0 ? entry.name : Buffer.concat([folder, SLASH, entry.name]);
    const inner = await selection.below(entry.name.toString());
    if (!inner.isLeftOut) await writeEntry(source, name);
    if (entry.isDirectory() && (!inner.isLeftOut || inner.mayKeepBelow)) await writeBelow(source, name, inner);
  }
}

const SLASH = Buffer.from("/");

function pathOf({ directory }: TarSource, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(directory), SLASH, name]);
}

type EntryHeader = Partial<Header> & { name: string };

/** Owner and umask of this host are not the app's business, so that the cache knows the same files again. */
async function writeEntry(source: TarSource, name: Buffer): Promise<void> {
  const path = pathOf(source, name);
  const stat = await lstat(path);
  const mode = stat.mode & 0o100 ? 0o755 : 0o644;
  const link = stat.isSymbolicLink() ? await readlink(path, { encoding: "buffer" }) : undefined;
  const named = writeNames(source.tar, Buffer.concat([Buffer.from(source.prefix), name]), link);
  const header: EntryHeader = { ...named, uid: 0, gid: 0, mtime: stat.mtime, mode };
  if (stat.isDirectory()) return writeWhole(source.tar, { ...header, type: "directory" });
  if (link) return writeWhole(source.tar, { ...header, type: "symlink" });
  if (stat.isFile()) return writeFile(source.tar, { ...header, size: stat.size }, path);
}

/**
 * Returns the names that the library, which takes texts, writes for the entry. Names that are no UTF-8 go before it as
 * they are, in records that count in place of its header's (POSIX.1-2017, pax, "Extended Header").
 */
function writeNames(tar: Pack, name: Buffer, link?: Buffer): Pick<EntryHeader, "name" | "linkname"> {
  if (isUtf8(name) && (link === undefined || isUtf8(link))) {
    return { name: name.toString(), ...(link && { linkname: link.toString() }) };
  }
  const records = [paxRecord("path", name), ...(link ? [paxRecord("linkpath", link)] : [])];
  tar.push(paxEntry(Buffer.concat(records)));
  return { name: "named-by-pax", ...(link && { linkname: "named-by-pax" }) };
}

/** The entry of a tar stream that says more of the one after it: a header, and the records in whole blocks. */
function paxEntry(records: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const fields: [at: number, text: string][] = [
    [0, "pax"],
    [100, "0000644"],
    [124, records.length.toString(8).padStart(11, "0")],
    [CHECKSUM_AT, " ".repeat(8)],
    [156, "x"],
    [257, "ustar"],
    [263, "00"],
  ];
  for (const [at, text] of fields) header.write(text, at);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, CHECKSUM_AT);
  const padding = Buffer.alloc((BLOCK_BYTES - (records.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([header, records, padding]);
}

const BLOCK_BYTES = 512;
const CHECKSUM_AT = 148;

/** `<length> <key>=<value>` and a line's end; the length counts itself. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length;
  while (rest.length + String(length).length !== length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

export function writeWhole(tar: Pack, header: EntryHeader, content: Buffer = Buffer.alloc(0)): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry({ ...header, size: content.length }, content, settle(resolve, reject));
  });
}

/** No faster than the engine reads. */
async function writeFile(tar: Pack, header: EntryHeader, path: Buffer): Promise<void> {
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
