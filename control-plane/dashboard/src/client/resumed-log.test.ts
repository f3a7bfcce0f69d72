import { expect, test } from "vitest";
import { ResumedLog } from "./resumed-log.ts";

const at = (second: number, text: string) => `2026-01-31T12:00:0${second}.000Z ${text}`;
const ENDED = at(3, "[platform] The app ended with exit code 143.");

test.for([
  ["the known line is among them", [at(1, "b")], [at(1, "a"), at(1, "b"), at(1, "c")], [at(1, "c")], false],
  ["the same line came twice", [at(1, "a")], [at(1, "a"), at(1, "a"), at(2, "b")], [at(2, "b")], false],
  ["the known line is the last", [at(1, "a")], [at(1, "a")], [], false],
  ["an equal line follows it", [at(1, "a"), at(1, "b")], [at(1, "b"), at(1, "a")], [at(1, "a")], false],
  ["it reads otherwise by now", [at(1, "a"), at(2, "x")], [at(1, "a"), at(2, "y"), at(3, "b")], [at(3, "b")], false],
  ["none was shown", [at(1, "x")], [at(2, "a"), at(3, "b")], [at(2, "a"), at(3, "b")], true],
  ["another container wrote before", [at(2, "x")], [at(1, "a"), at(3, "b")], [at(1, "a"), at(3, "b")], true],
  ["the platform wrote last", [at(2, "x"), ENDED], [at(2, "x"), ENDED, at(4, "a")], [at(4, "a")], false],
  ["only the platform's line is known", [at(2, "x"), ENDED], [at(1, "a"), ENDED], [at(1, "a")], true],
  ["only the platform has written", [ENDED], [ENDED, at(4, "a")], [at(4, "a")], false],
] as const)("a log goes on after the lines that were shown, when %s", ([, shown, lines, rest, isApart]) => {
  expect(new ResumedLog(shown).take(lines)).toEqual({ lines: rest, isApart });
});

test("a log that comes in parts shows no line twice, and says once that it stands apart", () => {
  const same = new ResumedLog([at(1, "a"), at(2, "b"), at(3, "c")]);
  expect(same.take([at(1, "a"), at(2, "b")])).toEqual({ lines: [], isApart: false });
  expect(same.isOver).toBe(false);
  expect(same.take([at(3, "c"), at(4, "d")])).toEqual({ lines: [at(4, "d")], isApart: false });
  expect(same.isOver).toBe(true);

  const other = new ResumedLog([at(3, "c")]);
  expect(other.take([at(1, "x")])).toEqual({ lines: [at(1, "x")], isApart: true });
  expect(other.isOver).toBe(false);
  expect(other.take([at(2, "y"), at(4, "z")])).toEqual({ lines: [at(2, "y"), at(4, "z")], isApart: false });
  expect(other.isOver).toBe(true);
});
