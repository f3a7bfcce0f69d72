import { closeSync } from "node:fs";
import type { Redactor } from "@svc/shared/redaction/redact.ts";
import type { LogQuery } from "@svc/shared/rules/log-query/log-query.ts";
import { matchesLine } from "@svc/shared/rules/log-query/match-line.ts";
import { PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";
import type { LogLine } from "../ports.ts";
import { scanFile, type LineFile } from "./scan.ts";

/** The time after which a search answers with what it has. Milliseconds. */
const SEARCH_MS_MAX = 5_000;
/** The most that it reads, uncompressed. */
const SEARCH_BYTES_MAX = 256 * 1024 * 1024;

export interface LogSearch {
  /** From this time on, up to and without the other one. */
  since: Date;
  until: Date;
  query: LogQuery;
  /** The most lines of the answer. */
  lines: number;
}

/** A file with the times of its first and last line, in milliseconds since 1970. */
export interface SearchedFile extends LineFile {
  first: number;
  last: number;
}

export interface SearchOptions {
  /** Hides what the query must not find: else it would be told letter by letter by what is found. */
  redactor: Redactor;
  signal: AbortSignal;
  msMax?: number;
  bytesMax?: number;
}

export interface LogFindings {
  /** Oldest first. */
  lines: LogLine[];
  /** Where to go on: there may be more that is wanted before this time. Undefined: all was looked at. */
  until: Date | undefined;
}

/**
 * Searches files for the newest lines that are wanted, the newest file first, until it has them or has reached its
 * bounds. All lines from the answer's `until` on have been looked at, so that a search up to there goes on without a gap.
 * Open files are closed.
 * @throws Error of the file system; the signal's reason
 */
export async function searchFiles(
  files: readonly SearchedFile[],
  search: LogSearch,
  options: SearchOptions,
): Promise<LogFindings> {
  try {
    return await newestIn(files, search, options);
  } finally {
    for (const { fd } of files) if (fd !== undefined) closeSync(fd);
  }
}

async function newestIn(
  files: readonly SearchedFile[],
  search: LogSearch,
  { redactor, signal, msMax = SEARCH_MS_MAX, bytesMax = SEARCH_BYTES_MAX }: SearchOptions,
): Promise<LogFindings> {
  const [since, until] = [search.since.toISOString(), search.until.toISOString()];
  const rest = files
    .filter(({ first, last }) => last >= search.since.getTime() && first < search.until.getTime())
    .toSorted((a, b) => a.last - b.last);
  const deadline = performance.now() + msMax;
  const found = new Newest(search.lines);
  let bytes = 0;
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    const scanned = await scanFile(file, {
      since,
      until,
      redactor,
      isWanted: (text) => matchesLine(search.query, text),
      onLine: (line) => found.add(line),
      signal,
    });
    bytes += scanned.bytes;
    if (scanned.isBroken) found.add(brokenLine(file));
    const next = rest.at(-1)?.last ?? -Infinity;
    if (found.isFullAfter(next)) break;
    if (rest.length > 0 && (bytes >= bytesMax || performance.now() >= deadline)) return found.after(next);
  }
  return found.all();
}

function brokenLine({ first, last }: SearchedFile): LogLine {
  const [from, to] = [new Date(first).toISOString(), new Date(last).toISOString()];
  return { time: new Date(last), text: `${PLATFORM_MARK} A part of the log from ${from} to ${to} can't be read.` };
}

/** The newest of the lines that are added, in about the order of time. */
class Newest {
  readonly #count: number;
  #lines: LogLine[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  add(line: LogLine): void {
    this.#lines.push(line);
    // One is kept beyond those that are wanted: it tells that there are more.
    if (this.#lines.length > 2 * this.#count + 1) this.#trim();
  }

  /** Whether no line at or before that time can be among the newest any more. */
  isFullAfter(time: number): boolean {
    this.#trim();
    return this.#lines.length > this.#count && this.#lines[0]!.time.getTime() > time;
  }

  /** The newest lines. Where there are more, those of the last millisecond are whole, so that the next search has no gap. */
  all(): LogFindings {
    this.#trim();
    const [older, ...lines] = this.#lines;
    if (this.#lines.length <= this.#count) return { lines: this.#lines, until: undefined };
    const cut = older!.time.getTime();
    const later = lines.filter(({ time }) => time.getTime() > cut);
    // All have one time: what more of it there is can't be shown.
    if (later.length === 0) return { lines, until: new Date(cut) };
    return { lines: later, until: new Date(cut + 1) };
  }

  /** The newest lines after that time, where the search stopped before it. */
  after(last: number): LogFindings {
    this.#lines = this.#lines.filter(({ time }) => time.getTime() > last);
    const { lines, until } = this.all();
    return { lines, until: until ?? new Date(last + 1) };
  }

  #trim(): void {
    this.#lines = this.#lines.toSorted((a, b) => a.time.getTime() - b.time.getTime()).slice(-this.#count - 1);
  }
}
