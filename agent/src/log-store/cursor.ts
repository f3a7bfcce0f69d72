import type { LogOutput, StampedLine } from "../ports.ts";

/** The newest lines of one output that were taken: their stamp, and how many have it, as the pieces of a long line do. */
interface OutputCursor {
  stamp: string;
  count: number;
}

/** The place to which a container's log was read. */
export interface Cursor {
  /** The output of the last line that was taken. */
  last: LogOutput;
  stdout?: OutputCursor;
  stderr?: OutputCursor;
}

/**
 * Lines of the two outputs are stamped by one task each of the engine, so that a line may stand behind one that is newer
 * by this. Milliseconds.
 */
const DISORDER_MS = 1_000;

/** The stamp from which on the engine is asked, so that the cursor's own line comes first or nearly so. */
export function stampBefore(cursor: Cursor): string {
  const { stamp } = cursor[cursor.last]!;
  return shifted(stamp, -DISORDER_MS);
}

export function cursorAfter(cursor: Cursor | undefined, { output, stamp }: StampedLine): Cursor {
  const own = cursor?.[output];
  const count = own?.stamp === stamp ? own.count + 1 : 1;
  return { ...cursor, last: output, [output]: { stamp, count } };
}

/**
 * Finds what is new in a log that is read again: it follows the line at which the cursor stands. Where that is gone, the
 * engine has rotated it away, or was asked for too few lines: what is newer is taken, and `isGap` says that some are missing.
 */
export class NewLines {
  readonly #cursor: Cursor | undefined;
  readonly #latest: string;
  #held: StampedLine[] = [];
  #seen = 0;
  #isFound: boolean;
  isGap = false;

  constructor(cursor: Cursor | undefined) {
    this.#cursor = cursor;
    this.#isFound = cursor === undefined;
    this.#latest = cursor === undefined ? "" : shifted(cursor[cursor.last]!.stamp, DISORDER_MS);
  }

  /** @returns the lines that are known to be new by now */
  push(line: StampedLine): StampedLine[] {
    if (this.#isFound) return [line];
    const { stamp, count } = this.#cursor![this.#cursor!.last]!;
    if (line.stamp === stamp && line.output === this.#cursor!.last) {
      this.#seen += 1;
      this.#isFound = this.#seen === count;
      if (this.#isFound) this.#held = [];
      return [];
    }
    if (line.stamp > stamp) this.#held.push(line);
    return line.stamp > this.#latest ? this.end() : [];
  }

  /** The log has no more lines. @returns those whose place was not known yet */
  end(): StampedLine[] {
    if (this.#isFound) return [];
    this.isGap = true;
    this.#isFound = true;
    return this.#held.splice(0);
  }
}

/** Moves a stamp by whole milliseconds. */
function shifted(stamp: string, ms: number): string {
  const moved = new Date(Date.parse(stamp) + ms).toISOString();
  return moved.slice(0, -1) + stamp.slice("2026-01-31T12:00:00.123".length);
}
