import fc from "fast-check";
import { expect, test } from "vitest";
import { levelOf } from "./log-level.ts";

test.for([
  ['{"level":"error","msg":"x"}', "error"],
  ['{"msg":"x","severity":"WARNING"}', "warn"],
  ['{"level":30,"msg":"x"}', "info"],
  ['{"level":60}', "error"],
  ['{"level":20}', "debug"],
  ['{"level":"odd"}', undefined],
  ['{"msg":"level error"}', undefined],
  ["{not json ERROR", undefined],
  ["time=12:00 level=warn msg=x", "warn"],
  ["2026-11-25 12:00:00,123 ERROR [main] x", "error"],
  ["[error] 12#12: open() failed", "error"],
  ["2026-11-25T12:00:00Z <info> started", "info"],
  ["INFO:     Started server process", "info"],
  ["warning: unused variable", "warn"],
  ["12:00:01 debug: detail", "debug"],
  ["npm ERR! code 1", "error"],
  ["\x1b[31mERROR\x1b[0m it broke", "error"],
  ["TypeError: x is undefined", "error"],
  ["java.io.IOException: closed", "error"],
  ["Traceback (most recent call last):", "error"],
  ["no error was found", undefined],
  ["INFORMATION_SCHEMA is read", undefined],
  ["GET /error 200", undefined],
  ["", undefined],
] as const)("%j has the level %s", ([line, level]) => {
  expect(levelOf(line)).toBe(level);
});

test("any line has one of the levels or none", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      expect([undefined, "error", "warn", "info", "debug"]).toContain(levelOf(line));
    }),
  );
});
