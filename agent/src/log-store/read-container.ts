import { setImmediate } from "node:timers/promises";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import type { Redactor } from "@svc/shared/redaction/redact.ts";
import { PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";
import type { Engine, LogLine, LogOutput, StampedLine } from "../ports.ts";
import { cursorAfter, NewLines, stampBefore, type Cursor } from "./cursor.ts";

/** Lines that are asked for first; most apps write fewer between two rounds. */
const LINES_FIRST = 100;
/** The most that is read of one container in a round: a flood may take no more of the agent's time, and of the disk's. */
export const ROUND_LINES_MAX = 20_000;
const ROUND_BYTES_MAX = 4 * 1024 * 1024;
const RECENT_MS = 30_000;
/** A line in pieces waits for its end for so long, since what is secret in it may stand across two of them. */
const LINE_MS_MAX = 10_000;
/** Lines that are redacted without a pause: some milliseconds. */
const LINES_AT_ONCE = 500;

/** The place to which one container's log was stored. */
export interface Progress {
  cursor?: Cursor;
  /** Outputs of whose last line the rest is left out. */
  cut: readonly LogOutput[];
  /** Lines of the last round, for how many to ask. */
  lines: number;
}

export const NOTHING_READ: Progress = { cut: [], lines: 0 };

interface ReadOptions {
  engine: Pick<Engine, "linesSince">;
  redactor: Redactor;
  now: Date;
  /** There is no next round: a line that has no end yet gets none. */
  isLast: boolean;
  signal: AbortSignal;
}

/**
 * The lines that a container has written since, redacted, and where to go on.
 * @throws Error of the engine; the signal's reason
 */
export async function readContainer(
  id: string,
  progress: Progress,
  options: ReadOptions,
): Promise<{ lines: LogLine[]; progress: Progress }> {
  const asked = linesToAsk(progress, options.now);
  let read = await readNew(id, progress, asked, options);
  if (read.isGap && read.total >= asked && asked < ROUND_LINES_MAX) {
    read = await readNew(id, progress, ROUND_LINES_MAX, options);
  }
  const taken = await takeWhole(read.lines, progress, options);
  const first = taken.lines[0];
  const gap = read.isGap && first ? [gapLine(first, progress.cursor)] : [];
  return { lines: [...gap, ...taken.lines], progress: taken.progress };
}

/** An app that writes much is likely to have written as much again. */
function linesToAsk({ cursor, lines }: Progress, now: Date): number {
  const writtenAt = cursor && Date.parse(cursor[cursor.last]!.stamp);
  const writesOn = writtenAt !== undefined && now.getTime() - writtenAt < RECENT_MS;
  return writesOn ? Math.min(ROUND_LINES_MAX, Math.max(LINES_FIRST, 2 * lines)) : LINES_FIRST;
}

interface NewRead {
  lines: StampedLine[];
  /** Older lines are missing. */
  isGap: boolean;
  /** Lines that the engine has sent. */
  total: number;
}

async function readNew(
  id: string,
  { cursor }: Progress,
  lines: number,
  { engine, now, signal }: ReadOptions,
): Promise<NewRead> {
  const enough = new AbortController();
  // A clock that was set back gives new lines stamps from before the cursor.
  const isAhead = cursor !== undefined && stampBefore(cursor) > now.toISOString();
  const since = cursor === undefined || isAhead ? undefined : stampBefore(cursor);
  const found = new NewLines(cursor);
  const all: StampedLine[] = [];
  let [bytes, total] = [0, 0];
  const stream = engine.linesSince(id, { lines, since, signal: AbortSignal.any([signal, enough.signal]) });
  reading: for await (const batch of stream) {
    for (const line of batch) {
      total += 1;
      for (const each of found.push(line)) {
        all.push(each);
        bytes += each.text.length;
      }
      if (bytes > ROUND_BYTES_MAX) break reading;
    }
  }
  enough.abort();
  signal.throwIfAborted();
  if (bytes <= ROUND_BYTES_MAX) all.push(...found.end());
  return { lines: all, isGap: found.isGap || (cursor === undefined && total >= lines), total };
}

/** Redacts lines up to one whose end has not come yet, and leaves that for the next round, or cuts it. */
async function takeWhole(
  lines: readonly StampedLine[],
  progress: Progress,
  { redactor, now, isLast }: ReadOptions,
): Promise<{ lines: LogLine[]; progress: Progress }> {
  const redacting = new LineRedactor(redactor);
  const cut = new Set(progress.cut);
  const wasCut = new Set(progress.cut);
  /** Where the line begins that an output has not ended. */
  const open = new Map<LogOutput, number>();
  for (const [index, { output, goesOn }] of lines.entries()) {
    if (!goesOn) open.delete(output);
    else if (!open.has(output) && !wasCut.has(output)) open.set(output, index);
    if (!goesOn) wasCut.delete(output);
  }
  const isOld = (index: number): boolean => isLast || now.getTime() - lines[index]!.time.getTime() > LINE_MS_MAX;
  const waiting = Math.min(lines.length, ...open.values());
  const end = waiting < lines.length && isOld(waiting) ? lines.length : waiting;
  const taken: LogLine[] = [];
  let cursor = progress.cursor;
  for (const [index, line] of lines.slice(0, end).entries()) {
    // A flood takes a quarter of a second: what else the agent does goes on meanwhile.
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await setImmediate();
    const { time, output, text, goesOn } = line;
    cursor = cursorAfter(cursor, line);
    if (!cut.has(output)) taken.push({ time, output, text: redacting.line(text, OUTPUT_NUMBERS[output], goesOn) });
    else if (!goesOn) cut.delete(output);
  }
  for (const [output, index] of open) {
    if (index >= end) continue;
    cut.add(output);
    taken.push({ time: lines[index]!.time, text: `${PLATFORM_MARK} ${CUT_SENTENCE}` });
  }
  return { lines: taken, progress: { ...(cursor && { cursor }), cut: [...cut], lines: lines.length } };
}

const OUTPUT_NUMBERS: Readonly<Record<LogOutput, number>> = { stdout: 1, stderr: 2 };
const CUT_SENTENCE = `The rest of a line is not kept: its end did not come within ${LINE_MS_MAX / 1000} s.`;

function gapLine({ time }: LogLine, cursor: Cursor | undefined): LogLine {
  const from = cursor?.[cursor.last]?.stamp;
  const when = from === undefined ? "before" : `between ${new Date(from).toISOString()} and`;
  const why = "the app writes more than is kept, or the server was away";
  return { time, text: `${PLATFORM_MARK} Lines ${when} ${time.toISOString()} are not kept: ${why}.` };
}
