import fc from "fast-check";
import { expect, it } from "vitest";
import { outputTail } from "./output-tail.ts";

it("keeps what fits", () => {
  expect(outputTail("a\nb", 10)).toBe("a\nb");
});

it("cuts at a line start", () => {
  expect(outputTail("first\nsecond\nthird", 9)).toBe("third");
  expect(outputTail("first\nthird", 5)).toBe("third");
});

it("cuts a single long line at a character", () => {
  expect(outputTail("éééé", 5)).toBe("éé");
});

it("is the end of the text, within the limit and valid UTF-8, for any text", () => {
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
