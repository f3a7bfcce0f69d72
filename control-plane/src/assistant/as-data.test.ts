import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asData, asWord } from "./as-data.ts";

const MARK = /<\s*\/?\s*data/gi;

describe("text that somebody else wrote", () => {
  it("has the marks around it and none within, whatever it is", () => {
    const pieces = fc.constantFrom("<", "/", "data", "DATA", " ", "\n", ">", "</data>", "< / data >", "x");
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join("")),
        (text) => {
          expect(asData("a log", text).match(MARK)).toHaveLength(2);
          expect(asWord(text).match(MARK)).toBeNull();
        },
      ),
    );
  });

  it("loses its beginning when it is long, and says so", () => {
    const told = asData("a log", `${"x".repeat(20_000)}the end`);
    expect(told.length).toBeLessThan(8_200);
    expect(told).toContain("[the beginning is left out]");
    expect(told).toContain("the end");
  });

  it("is one bounded line when it is put into a sentence of ours", () => {
    expect(asWord("a\nb\tc")).toBe("a b c");
    expect(asWord("x".repeat(300))).toHaveLength(201);
    expect(asWord(null)).toBe("-");
  });
});
