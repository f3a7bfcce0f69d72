import {
  appendFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
} from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "@svc/shared/rules/ids.ts";
import { parseFileLines, toFileLine } from "../../engine/logs/log-file-line.ts";
import type { LogLine } from "../../ports.ts";

/** The limit of each of an app's two files: together some 30,000 requests. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
/** Lines that wait for one who follows; what comes beyond is counted and left out. */
const WAITING_LINES_MAX = 2_000;
/** The most lines in one message (agent.proto). */
const BATCH_LINES_MAX = 500;

export interface AppLogOptions {
  lines: number;
  follow: boolean;
  signal: AbortSignal;
}

export interface AppLogBatch {
  lines: LogLine[];
  /** Is left out because the reader was too slow. */
  dropped: number;
}

type Follower = (lines: readonly LogLine[]) => void;

/** The access log of each app: two files of bounded size, `<app id>.log` and `.log.1`, each line with its time. */
export class AppLogs {
  readonly #directory: string;
  readonly #followers = new Map<string, Set<Follower>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws Error of the file system */
  append(appId: string, lines: readonly LogLine[]): void {
    const file = this.#file(appId);
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    if ((statOf(file)?.size ?? 0) > FILE_BYTES_MAX) renameSync(file, `${file}.1`);
    const text = lines.map(toFileLine).join("");
    appendFileSync(file, text, { mode: 0o600 });
    for (const follower of this.#followers.get(appId) ?? []) follower(lines);
  }

  /** The last lines, then with `follow` what is appended until the signal. None missing or twice in between. */
  async *read(appId: string, { lines, follow, signal }: AppLogOptions): AsyncGenerator<AppLogBatch> {
    const waiting: LogLine[] = [];
    let dropped = 0;
    let wake = (): void => {};
    const follower: Follower = (added) => {
      const room = Math.max(0, WAITING_LINES_MAX - waiting.length);
      waiting.push(...added.slice(0, room));
      dropped += Math.max(0, added.length - room);
      wake();
    };
    // In one turn of the event loop with reading the end, so that no line comes between the two.
    if (follow) this.#followersOf(appId).add(follower);
    const end = this.#end(appId, lines);
    const onAbort = (): void => wake();
    signal.addEventListener("abort", onAbort);
    try {
      if (end.length > 0) yield { lines: end, dropped: 0 };
      while (follow && !signal.aborted) {
        if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        if (waiting.length === 0) continue;
        const batch = { lines: waiting.splice(0, BATCH_LINES_MAX), dropped };
        dropped = 0;
        yield batch;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#followers.get(appId)?.delete(follower);
    }
  }

  /** The app's files as they are now, oldest first, open: the next lines may rename them. The caller closes them. */
  open(appId: string): { path: string; fd: number; bytes: number; modifiedAt: Date }[] {
    const file = this.#file(appId);
    return [`${file}.1`, file].flatMap((path) => {
      if (!statOf(path)) return [];
      const fd = openSync(path, "r");
      const { size, mtime } = fstatSync(fd);
      return [{ path, fd, bytes: size, modifiedAt: mtime }];
    });
  }

  /** Removes what is left of a purged app. Idempotent. */
  remove(appId: string): void {
    const file = this.#file(appId);
    for (const each of [file, `${file}.1`]) rmSync(each, { force: true });
  }

  /** Removes the files that nothing was written to for so long. Milliseconds. */
  async removeOlderThan(ageMs: number, now: Date): Promise<void> {
    for (const name of await readdir(this.#directory).catch(() => [])) {
      const path = join(this.#directory, name);
      const modified = statOf(path)?.mtimeMs ?? now.getTime();
      if (now.getTime() - modified > ageMs) await rm(path, { force: true });
    }
  }

  #followersOf(appId: string): Set<Follower> {
    let followers = this.#followers.get(appId);
    if (!followers) this.#followers.set(appId, (followers = new Set()));
    return followers;
  }

  #end(appId: string, count: number): LogLine[] {
    const file = this.#file(appId);
    const last = linesOf(file).slice(-count);
    if (last.length === count) return last;
    return [...linesOf(`${file}.1`).slice(last.length - count), ...last];
  }

  #file(appId: string): string {
    if (!isId(appId)) throw new Error(`${JSON.stringify(appId)} is no app's id`);
    return join(this.#directory, `${appId}.log`);
  }
}

function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

function linesOf(file: string): LogLine[] {
  return statOf(file) ? parseFileLines(readFileSync(file, "utf8")) : [];
}
