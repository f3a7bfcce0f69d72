import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogOutput, StampedLine } from "../ports.ts";
import { cursorAfter, NewLines, stampBefore, type Cursor } from "./cursor.ts";

const START = Date.parse("2026-01-31T12:00:00Z");

/** Lines as an engine has written them: at times that rise in each of two outputs, with a little disorder between the two. */
const log = fc
  .array(fc.record({ stepMs: fc.integer({ min: -300, max: 3_000 }), isStderr: fc.boolean() }), { maxLength: 60 })
  .map((steps) => {
    let at = START;
    const latest = { stdout: 0, stderr: 0 };
    return steps.map(({ stepMs, isStderr }, index): StampedLine => {
      at += Math.max(0, stepMs);
      const output: LogOutput = isStderr ? "stderr" : "stdout";
      latest[output] = Math.max(latest[output], at + Math.min(0, stepMs));
      const time = new Date(latest[output]);
      return { time, output, stamp: time.toISOString().replace("Z", "000007Z"), text: `line ${index}`, goesOn: false };
    });
  });

function readOn(lines: readonly StampedLine[], cursor: Cursor | undefined) {
  const since = cursor && stampBefore(cursor);
  const found = new NewLines(cursor);
  const taken = lines.filter(({ stamp }) => since === undefined || stamp >= since).flatMap((line) => found.push(line));
  taken.push(...found.end());
  return { taken, isGap: found.isGap, cursor: taken.reduce(cursorAfter, cursor as Cursor) };
}

test("a log that is read in any number of rounds is read once, without a gap, also where outputs are in disorder", () => {
  fc.assert(
    fc.property(log, fc.array(fc.nat(60)), (lines, ends) => {
      let cursor: Cursor | undefined;
      const all: StampedLine[] = [];
      for (const end of [...ends.toSorted((a, b) => a - b), lines.length]) {
        const read = readOn(lines.slice(0, end), cursor);
        expect(read.isGap).toBe(false);
        all.push(...read.taken);
        cursor = read.cursor;
      }
      expect(all.map(({ text }) => text)).toEqual(lines.map(({ text }) => text));
    }),
  );
});

test("a log whose beginning was rotated away goes on with what is newer, and says that lines are missing", () => {
  fc.assert(
    fc.property(log, fc.nat(60), fc.nat(60), (lines, end, from) => {
      const { cursor } = readOn(lines.slice(0, end), undefined);
      fc.pre(cursor !== undefined && from > 0 && from >= end && lines.length > from);
      const { output, stamp } = lines[end - 1]!;
      // Lines of one stamp are pieces of one line, which are told apart by their count alone.
      fc.pre(!lines.slice(from).some((line) => line.output === output && line.stamp === stamp));
      const { taken, isGap } = readOn(lines.slice(from), cursor);
      expect(isGap).toBe(true);
      const known = new Set(lines.slice(0, end).map(({ text }) => text));
      expect(taken.filter(({ text }) => known.has(text))).toEqual([]);
    }),
  );
});
