import fc from "fast-check";
import { expect, test } from "vitest";
import { toLogRange } from "./log-range.ts";

const now = new Date("2026-01-31T12:00:00Z");
const range = (since?: string, until?: string) => {
  const { since: from, until: to } = toLogRange({ since, until }, now);
  return [from.toISOString(), to.toISOString()];
};

test.for([
  ["2h", undefined, "2026-01-31T10:00:00.000Z", "2026-01-31T13:00:00.000Z"],
  ["7d", "30m", "2026-01-24T12:00:00.000Z", "2026-01-31T11:30:00.000Z"],
  ["2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.5Z", "2026-01-31T10:00:00.000Z", "2026-01-31T10:00:00.500Z"],
  [undefined, "90s", "1970-01-01T00:00:00.000Z", "2026-01-31T11:58:30.000Z"],
  ["999999d", "2026-01-31t12:00:00.123456789z", "1970-01-01T00:00:00.000Z", "2026-01-31T12:00:00.123Z"],
] as const)("from %s to %s is a range", ([since, until, from, to]) => {
  expect(range(since, until)).toEqual([from, to]);
});

test.for([
  ["2026-01-31", "a time with its zone"],
  ["2026-01-31T12:00:00", "a time with its zone"],
  ["2026-01-31T12:00:00 02:00", "a + is written %2B"],
  ["2026-02-30T12:00:00Z", "a time with its zone"],
  ["2026-01-31T25:00:00Z", "a time with its zone"],
  ["1969-01-31T12:00:00Z", "a time with its zone"],
  ["yesterday", '`since` is "yesterday"'],
  ["2w", "such as 90s, 30m, 2h or 7d"],
  ["-2h", "how long ago"],
  ["", "how long ago"],
  ["2h\n", "how long ago"],
  ["2027-01-31T12:00:00Z", "still to come"],
] as const)("since %j is refused with a sentence", ([since, why]) => {
  expect(() => range(since)).toThrow(why);
});

test("a range that ends before it begins, or where it begins, is refused", () => {
  expect(() => range("1h", "2h")).toThrow("give the earlier time as `since`");
  expect(() => range("1h", "1h")).toThrow("give the earlier time as `since`");
});

test("any text is a time or refused with a sentence", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), (text) => {
      try {
        const [from = "", to = ""] = range(undefined, text);
        expect(from < to).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_request" });
      }
    }),
  );
});
