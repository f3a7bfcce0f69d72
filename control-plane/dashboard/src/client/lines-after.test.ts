import { expect, test } from "vitest";
import { linesAfter } from "./lines-after.ts";

const at = (second: number, text: string) => `2026-01-31T12:00:0${second}.000Z ${text}`;

test.for([
  ["the known line is among them", at(1, "b"), [at(1, "a"), at(1, "b"), at(1, "c")], [at(1, "c")], false],
  ["the same line came twice", at(1, "a"), [at(1, "a"), at(1, "a"), at(2, "b")], [at(2, "b")], false],
  ["the known line is the last", at(1, "a"), [at(1, "a")], [], false],
  ["it is not among them, and some are older", at(2, "x"), [at(1, "a"), at(3, "b")], [at(3, "b")], false],
  ["all are newer", at(1, "x"), [at(2, "a"), at(3, "b")], [at(2, "a"), at(3, "b")], true],
] as const)("a log goes on after the line that was shown last, when %s", ([, last, lines, rest, isGap]) => {
  expect(linesAfter(last, lines)).toEqual({ lines: rest, isGap });
});
