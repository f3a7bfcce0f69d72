import { createReadStream, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import type { Redactor } from "@svc/shared/redaction/redact.ts";
import { parseFileLines } from "../engine/logs/log-file-line.ts";
import type { LogLine } from "../ports.ts";
import { isErrno } from "../platform/durable-file.ts";

/** A file of lines, each of which begins with its time. */
export interface LineFile {
  path: string;
  /** The open file, where another may have this path once it is read. */
  fd?: number | undefined;
  isCompressed: boolean;
  /** As many of them count as are given; undefined: all. */
  bytes: number | undefined;
}

export interface ScanOptions {
  /** ISO 8601: from this time on, up to and without the other one. */
  since: string;
  until: string;
  redactor: Redactor;
  /** Whether the text is wanted, once it is redacted. */
  isWanted: (text: string) => boolean;
  onLine: (line: LogLine) => void;
  signal: AbortSignal;
}

/** The time of a line in ISO 8601: 24 characters. */
const TIME_LENGTH = "2026-01-31T12:00:00.000Z".length;
/** A line is 16 KiB and some; what is longer is none of ours. */
const REST_BYTES_MAX = 256 * 1024;

/**
 * Reads a file from its beginning to its end in pieces, and hands over the wanted lines. A file that is gone has none.
 * @returns bytes that were looked at, uncompressed, and whether a part of the file could not be read
 * @throws Error of the file system; the signal's reason
 */
export async function scanFile(file: LineFile, options: ScanOptions): Promise<{ bytes: number; isBroken: boolean }> {
  let bytes = 0;
  let isBroken = false;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of open(file) as AsyncIterable<Buffer>) {
      options.signal.throwIfAborted();
      bytes += chunk.length;
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = data.lastIndexOf(0x0a) + 1;
      if (!scanText(data.toString("utf8", 0, end), options)) isBroken = true;
      rest = data.subarray(end);
      if (rest.length > REST_BYTES_MAX) [rest, isBroken] = [Buffer.alloc(0), true];
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (isErrno(error, "ENOENT")) return { bytes, isBroken };
    if (!isOfCompression(error)) throw error;
    isBroken = true;
  }
  return { bytes, isBroken };
}

/** Opens a file that will be renamed or removed. @returns undefined when it is gone already */
export function openNow(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

function open({ path, fd, isCompressed, bytes }: LineFile): Readable {
  const file = createReadStream(path, {
    ...(fd !== undefined && { fd, start: 0, autoClose: false }),
    ...(!isCompressed && bytes !== undefined && { end: Math.max(0, bytes - 1) }),
  });
  if (!isCompressed) return file;
  const text = createZstdDecompress();
  file.on("error", (error) => text.destroy(error));
  text.on("close", () => file.destroy());
  return file.pipe(text);
}

function isOfCompression(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^(Z_|ZSTD_)/.test(error.code);
}

/** @returns false where something in it is no line */
function scanText(text: string, { since, until, redactor, isWanted, onLine }: ScanOptions): boolean {
  let isWhole = true;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    const space = text.indexOf(" ", start);
    const time = text.slice(start, start + TIME_LENGTH);
    if (start === end || space < start + TIME_LENGTH || space >= end) isWhole &&= start === end;
    else if (time >= since && time < until) {
      const shown = redactor.text(text.slice(space + 1, end));
      if (isWanted(shown)) {
        const [line] = parseFileLines(text.slice(start, space + 1) + shown);
        if (line) onLine(line);
        else isWhole = false;
      }
    }
    start = end + 1;
  }
  return isWhole;
}
