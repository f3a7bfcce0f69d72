import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableText } from "./printable.ts";

test.each([
  ["plain ü 漢", "plain ü 漢"],
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["10%\r50%\r100%", "100%"],
  ["line\r", "line"],
  ["a\tb", "a    b"],
  ["\u001b[2J\u001b[Hgone\u009b2J", "gone2J"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("nothing that a terminal obeys is left, whatever the line holds", () => {
  const unit = fc.constantFrom("\u001b", "[", "]", "2", "J", ";", "\u0007", "\u009b", "\r", "\n", "\u0000", "x", "\\");
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect([...printable(text)].every((one) => one >= " " && !(one >= "\u007f" && one <= "\u009f"))).toBe(true);
    }),
  );
});

test("a text keeps its lines", () => {
  expect(printableText("\u001b[31mone\n\u001b]0;title\u0007two\n")).toBe("one\ntwo\n");
});
