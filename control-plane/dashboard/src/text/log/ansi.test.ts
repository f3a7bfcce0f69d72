import fc from "fast-check";
import { expect, test } from "vitest";
import { ansiRuns, plainText } from "./ansi.ts";

test.for([
  ["plain", "no colors", [["no colors", ""]]],
  [
    "a color",
    "\x1b[31mred\x1b[0m and not",
    [
      ["red", "color-1"],
      [" and not", ""],
    ],
  ],
  ["a bright one on a page", "\x1b[92;44mgreen", [["green", "color-10 page-4"]]],
  [
    "flags that end",
    "\x1b[1;4mb\x1b[22mu",
    [
      ["b", "bold underline"],
      ["u", "underline"],
    ],
  ],
  ["a color of 256", "\x1b[38;5;196mred", [["red", "color-9"]]],
  ["a color of 16 millions", "\x1b[38;2;0;0;120mblue", [["blue", "color-4"]]],
  ["a title of the window", "\x1b]0;title\x07text", [["text", ""]]],
  ["a link", "\x1b]8;;https://example.com\x1b\\text\x1b]8;;\x1b\\", [["text", ""]]],
  ["a movement", "a\x1b[2Kb", [["ab", ""]]],
  ["a bar of progress", "10 %\r50 %\r100 %", [["100 %", ""]]],
  ["a line that ended in a carriage return", "done\r", [["done", ""]]],
  ["a character that is no text", "a\x07b\x00c", [["abc", ""]]],
] as const)("%s is shown with classes alone", ([, line, runs]) => {
  expect(ansiRuns(line).map(({ text, classes }) => [text, classes])).toEqual(runs);
});

test("whatever a program writes, only known classes come out, and no control character", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("\x1b[", "\x1b]", "38;5;", "38;2;", "48;", ";", ":", "m", "\x1b\\", "\x07", "\r", '"><script>'),
    fc.integer({ min: -5, max: 400 }).map(String),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const { text, classes } of ansiRuns(pieces.join(""))) {
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
        for (const name of classes.split(" ").filter((each) => each !== ""))
          expect(name).toMatch(/^((color|page)-([0-9]|1[0-5])|bold|dim|italic|underline|inverse)$/);
      }
    }),
  );
});

test("a line without control characters keeps its text", () => {
  fc.assert(
    fc.property(
      // oxlint-disable-next-line no-control-regex
      fc.string().filter((text) => !/[\x00-\x1f\x7f]/.test(text)),
      (text) => {
        expect(plainText(text)).toBe(text);
      },
    ),
  );
});

test("a line that changes its look thousands of times keeps its text, and is few elements", () => {
  const runs = ansiRuns("\x1b[31ma\x1b[32mb".repeat(1_300));
  expect(runs.length).toBe(100);
  expect(runs.map(({ text }) => text).join("")).toBe("ab".repeat(1_300));
});
