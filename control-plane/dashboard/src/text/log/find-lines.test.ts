import { expect, test } from "vitest";
import { isFound, readFilter } from "./find-lines.ts";

const finds = (typed: string, line: string, kind: "lines" | "requests" = "lines") =>
  isFound(readFilter(typed, kind).query!, line);

test("a line is found by what it says, with its time or without", () => {
  expect(finds("level:error", "2026-01-31T12:00:00.000Z ERROR it broke")).toBe(true);
  expect(finds("level:error", "ERROR it broke")).toBe(true);
  expect(finds('"card declined"', "2026-01-31T12:00:00.000Z Card declined")).toBe(true);
  expect(finds("2026", "2026-01-31T12:00:00.000Z it broke")).toBe(false);
  const request = '2026-01-31T12:00:00.000Z 203.0.113.7 shop.test "GET /api/x HTTP/2.0" 502 12 B 30.5 ms';
  expect(finds("path:/api/* status:>=500", request, "requests")).toBe(true);
});

test("what can't be read is refused with a sentence", () => {
  expect(readFilter("level:loud", "lines").refusal).toContain("none of error, warn, info, debug");
});
