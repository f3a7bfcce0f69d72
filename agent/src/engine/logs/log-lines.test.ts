import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LogBudget, LOG_BYTES_MAX, TAIL_BYTES_MAX, TAIL_LINES_MAX } from "./log-budget.ts";
import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";
import { toLogLines } from "./log-lines.ts";

describe("toLogLines", () => {
  test("keeps every character, cuts at line ends and never longer than the limit", () => {
    const long = fc.string({ unit: "grapheme", minLength: 0, maxLength: 20 }).map((text) => text.repeat(900));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), long), { maxLength: 4 }), (parts) => {
        const text = parts.join("\n");
        const lines = toLogLines(text);
        expect(lines.join("")).toBe(text.toWellFormed().replaceAll(/[\r\n]/g, ""));
        for (const line of lines) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LINE_BYTES_MAX);
          expect(line.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("half a surrogate pair becomes the replacement character", () => {
    expect(toLogLines("a\ud800b")).toEqual(["a\ufffdb"]);
  });

  test("a four-byte character is not cut in two", () => {
    const line = `${"x".repeat(LINE_BYTES_MAX - 1)}😀`;
    expect(toLogLines(line)).toEqual(["x".repeat(LINE_BYTES_MAX - 1), "😀"]);
  });
});

describe("the budget of a run's log", () => {
  test("admits the start, keeps the end and counts what is between", () => {
    const budget = new LogBudget();
    const line = "x".repeat(1023);
    const admitted = LOG_BYTES_MAX / 1024;
    for (let i = 0; i < admitted; i += 1) expect(budget.admit(line)).toBe(true);
    expect(budget.rest()).toBeUndefined();
    for (let i = 0; i < 10_000; i += 1) expect(budget.admit(`late ${i}`)).toBe(false);
    const rest = budget.rest()!;
    expect(rest.lines.at(-1)).toBe("late 9999");
    expect(rest.lines).toHaveLength(TAIL_LINES_MAX);
    expect(rest.dropped + rest.lines.length).toBe(10_000);
  });

  test("the kept end is bounded in bytes too", () => {
    const budget = new LogBudget();
    const long = "y".repeat(LINE_BYTES_MAX);
    for (let i = 0; i < 1100; i += 1) budget.admit(long);
    const { lines, dropped } = budget.rest()!;
    expect(Buffer.byteLength(lines.join("\n"))).toBeLessThanOrEqual(TAIL_BYTES_MAX);
    expect(lines.length + dropped).toBe(1100 - Math.floor(LOG_BYTES_MAX / (LINE_BYTES_MAX + 1)));
  });
});
