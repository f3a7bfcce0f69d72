import { createReadStream, createWriteStream, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { parseFileLines, toFileLine } from "../engine/logs/log-file-line.ts";
import type { LogLine } from "../ports.ts";
import { DRAFT_SUFFIX, isErrno } from "../platform/durable-file.ts";
import type { Progress } from "./read-container.ts";
import { parseSegmentName, segmentName } from "./segment-name.ts";

/** Bytes after which a segment is closed; a search reads whole ones, each in some 50 ms. */
const SEGMENT_BYTES_MAX = 4 * 1024 * 1024;
/** A quiet app's segment is closed too, so that its lines go when their time has come. */
const SEGMENT_MS_MAX = 24 * 60 * 60_000;
/** Progress is kept of so many containers, those that were read last: an app has two or three at a time. */
const CONTAINERS_MAX = 20;
const STATE_FILE = "state.json";

/** The segments, and the place to which each container was read. Lines are stored once the state says so. */
interface State {
  /** The open segment. */
  segment: number;
  /** The bytes of it that count; what is behind was written by an agent that was killed, and is read from the engine again. */
  bytes: number;
  /** Times of its first and last line. */
  first?: number;
  last?: number;
  containers: Readonly<Record<string, Progress>>;
}

/** All that a store changes on the disk, besides writing the file that is being compressed. */
export interface FileChanges extends Pick<typeof fs, "mkdir" | "rename" | "rm" | "truncate"> {
  appendFile(path: string, data: string | Buffer, options: { mode: number }): Promise<void>;
  writeFile(path: string, data: string | Buffer, options: { mode: number }): Promise<void>;
}

export interface AppStoreTuning {
  files?: FileChanges;
  segmentBytesMax?: number;
}

/** A segment as a search reads it. */
export interface StoredSegment {
  path: string;
  isCompressed: boolean;
  /** The bytes on the disk; of an open segment those that count. */
  bytes: number;
  /** Milliseconds since 1970. */
  first: number;
  last: number;
  /** The same; undefined: it is open. */
  closedAt: number | undefined;
}

/**
 * The stored log of one app: a directory of closed segments, an open one, and a state that is replaced in one write. The
 * caller makes one call at a time. A kill between any two writes loses no line and doubles none.
 */
export class AppStore {
  readonly directory: string;
  readonly #files: FileChanges;
  readonly #segmentBytesMax: number;
  #state: State | undefined;
  /** The directory is there, with a state. */
  #hasBegun = false;

  constructor(directory: string, { files = fs, segmentBytesMax = SEGMENT_BYTES_MAX }: AppStoreTuning = {}) {
    this.directory = directory;
    this.#files = files;
    this.#segmentBytesMax = segmentBytesMax;
  }

  async progressOf(containerId: string): Promise<Progress | undefined> {
    return (await this.#load()).containers[containerId];
  }

  /** Appends lines, and notes how far containers were read with them: both or neither. @throws Error of the file system */
  async append(lines: readonly LogLine[], read: Readonly<Record<string, Progress>>): Promise<void> {
    const state = await this.#load();
    if (!this.#hasBegun) await this.#begin(state);
    const path = this.#path(state.segment);
    const size = (await sizeOf(path)) ?? 0;
    // An append left it whose agent was killed.
    if (size > state.bytes) await this.#files.truncate(path, state.bytes);
    // After a crash of the host the state may be on the disk where lines are not: the next one does not go on with half of one.
    const start = size < state.bytes ? "\n" : "";
    const text = Buffer.from(start + lines.map(toFileLine).join(""));
    const times = lines.map(({ time }) => time.getTime());
    const bytes = Math.min(size, state.bytes);
    try {
      if (text.length > 0) await this.#files.appendFile(path, text, { mode: 0o600 });
      await this.#write({
        ...state,
        bytes: bytes + text.length,
        ...spanOf(times, state),
        containers: newest({ ...state.containers, ...read }),
      });
    } catch (error) {
      // On a full disk: nothing else is to be written there for want of what nobody counts.
      if (this.#state === state) await this.#files.truncate(path, bytes).catch(() => undefined);
      throw error;
    }
  }

  /** Compresses the open segment when it is large or old. */
  async closeWhenDue(now: Date): Promise<void> {
    const state = await this.#load();
    const { segment, bytes, first, last, containers } = state;
    if (first === undefined || last === undefined) return;
    // A clock that was set back since has left times that are still to come.
    if (bytes < this.#segmentBytesMax && Math.abs(now.getTime() - first) < SEGMENT_MS_MAX) return;
    const path = this.#path(segment);
    const closed = join(this.directory, segmentName({ number: segment, closed: { first, last } }));
    await this.#compress(path, bytes, closed);
    try {
      await this.#write({ segment: segment + 1, bytes: 0, containers });
    } catch (error) {
      await this.#files.rm(closed, { force: true });
      throw error;
    }
    await this.#files.rm(path, { force: true });
  }

  /** Removes segments. Lines that come after the open one went begin another, so that no bytes count that are gone. */
  async remove(paths: readonly string[]): Promise<void> {
    const { segment, containers } = await this.#load();
    const open = this.#path(segment);
    for (const path of paths) if (path !== open) await this.#files.rm(path, { force: true });
    if (!paths.includes(open)) return;
    const next = { segment: segment + 1, bytes: 0, containers };
    await this.#write(next).catch(async (error: unknown) => {
      if (!isErrno(error, "ENOSPC")) throw error;
      // There is room for the state once the segment is empty. A kill in between leaves fewer bytes than count, which an append bears.
      await this.#files.truncate(open, 0);
      await this.#write(next);
    });
    await this.#files.rm(open, { force: true });
  }

  /** Oldest first. */
  async segments(): Promise<StoredSegment[]> {
    const { segment, bytes, first, last } = await this.#load();
    const found: StoredSegment[] = [];
    for (const name of (await namesIn(this.directory)).toSorted()) {
      const { number = segment, closed } = parseSegmentName(name) ?? {};
      const path = join(this.directory, name);
      const file = number < segment ? await statOf(path) : undefined;
      if (closed && file) found.push({ path, isCompressed: true, bytes: file.size, ...closed, closedAt: file.mtimeMs });
    }
    if (first === undefined || last === undefined) return found;
    return [...found, { path: this.#path(segment), isCompressed: false, bytes, first, last, closedAt: undefined }];
  }

  async #load(): Promise<State> {
    return (this.#state ??= await this.#recover());
  }

  /** Before the first line, so that one that is there without a state was stored; no earlier, since the app may be purged. */
  async #begin(state: State): Promise<void> {
    await this.#files.mkdir(this.directory, { recursive: true, mode: 0o700 });
    await this.#write(state);
  }

  /** Finishes what a killed agent had begun, or takes it back. */
  async #recover(): Promise<State> {
    const names = await namesIn(this.directory);
    const written = await readState(join(this.directory, STATE_FILE));
    const state = written ?? (await this.#stateOf(names));
    this.#hasBegun = written !== undefined;
    for (const name of names) {
      const segment = parseSegmentName(name);
      // Not closed yet, whatever its name says; or closed, and its former file is still there.
      const isBegun = segment !== undefined && segment.number >= state.segment && segment.closed !== undefined;
      const isLeft = segment !== undefined && segment.number !== state.segment && segment.closed === undefined;
      if (isBegun || isLeft || name.endsWith(DRAFT_SUFFIX))
        await this.#files.rm(join(this.directory, name), { force: true });
    }
    return state;
  }

  /** Is needed where a host has lost its power: what is stored stays, and the engine's logs are read from their beginning. */
  async #stateOf(names: readonly string[]): Promise<State> {
    const segments = names.map(parseSegmentName).filter((name) => name !== undefined);
    const last = segments.toSorted((a, b) => a.number - b.number).at(-1) ?? { number: 0, closed: undefined };
    if (last.closed) return { segment: last.number + 1, bytes: 0, containers: {} };
    const path = this.#path(last.number);
    const data = await fs.readFile(path).catch(() => Buffer.alloc(0));
    // Half of a line may be the last: the next one is not joined to it.
    const bytes = data.lastIndexOf("\n") + 1;
    const times = parseFileLines(data.toString("utf8", 0, bytes)).map(({ time }) => time.getTime());
    return { segment: last.number, bytes, ...spanOf(times, {}), containers: {} };
  }

  async #write(state: State): Promise<void> {
    const path = join(this.directory, STATE_FILE);
    try {
      await this.#files.writeFile(path + DRAFT_SUFFIX, JSON.stringify(state), { mode: 0o600 });
      await this.#files.rename(path + DRAFT_SUFFIX, path);
    } catch (error) {
      await this.#files.rm(path + DRAFT_SUFFIX, { force: true });
      throw error;
    }
    this.#state = state;
    this.#hasBegun = true;
  }

  async #compress(from: string, bytes: number, to: string): Promise<void> {
    const draft = to + DRAFT_SUFFIX;
    try {
      const packing = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
      await pipeline(createReadStream(from, { end: bytes - 1 }), packing, createWriteStream(draft, { mode: 0o600 }));
      const file = await fs.open(draft, "r");
      await file.sync().finally(() => file.close());
      await this.#files.rename(draft, to);
    } catch (error) {
      await this.#files.rm(draft, { force: true });
      throw error;
    }
  }

  #path(segment: number): string {
    return join(this.directory, segmentName({ number: segment, closed: undefined }));
  }
}

/** The times of the first and the last line, with those that came before. */
function spanOf(
  times: readonly number[],
  { first, last }: Pick<State, "first" | "last">,
): Pick<State, "first" | "last"> {
  if (times.length === 0) return {};
  return {
    first: times.reduce((a, b) => Math.min(a, b), first ?? Infinity),
    last: times.reduce((a, b) => Math.max(a, b), last ?? 0),
  };
}

async function readState(path: string): Promise<State | undefined> {
  try {
    const state = JSON.parse(await fs.readFile(path, "utf8")) as Partial<State> | null;
    const isState = Number.isSafeInteger(state?.segment) && Number.isSafeInteger(state?.bytes) && state?.containers;
    return isState ? (state as State) : undefined;
  } catch (error) {
    // A host that lost its power may have left half of it.
    if (isErrno(error, "ENOENT") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function newest(containers: Readonly<Record<string, Progress>>): Record<string, Progress> {
  const stamp = ({ cursor }: Progress): string => (cursor ? cursor[cursor.last]!.stamp : "");
  const entries = Object.entries(containers).toSorted(([, a], [, b]) => (stamp(a) < stamp(b) ? 1 : -1));
  return Object.fromEntries(entries.slice(0, CONTAINERS_MAX));
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await statOf(path))?.size;
}

function statOf(path: string): Promise<Stats | undefined> {
  return fs.stat(path).catch(() => undefined);
}

async function namesIn(directory: string): Promise<string[]> {
  return fs.readdir(directory).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  });
}
