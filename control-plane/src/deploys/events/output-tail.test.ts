import fc from "fast-check";
import { expect, it } from "vitest";
import { outputTail } from "./output-tail.ts";

it("the tail keeps a text that fits", () => {
  expect(outputTail("a\nb", 10)).toBe("a\nb");
});

it("the tail is cut at a line's start", () => {
  expect(outputTail("first\nsecond\nthird", 9)).toBe("third");
  expect(outputTail("first\nthird", 5)).toBe("third");
});

it("the tail of a single long line is cut at a character", () => {
  expect(outputTail("éééé", 5)).toBe("éé");
});

it("the tail is the end of any text, within the limit and valid UTF-8", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), fc.integer({ min: 4, max: 40 }), (lines, limit) => {
      const text = lines.join("\n").toWellFormed();
      const tail = outputTail(text, limit);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(limit);
      expect(tail.isWellFormed()).toBe(true);
    }),
  );
});
