import fc from "fast-check";
import { expect, test } from "vitest";
import { PIECE_LENGTH, PieceSearch } from "./piece-search.ts";

const long = fc.string({ unit: fc.constantFrom("a", "b", "😀"), minLength: PIECE_LENGTH, maxLength: 200 });

test("every place of a text is found as one range, wherever the search begins", () => {
  fc.assert(
    fc.property(long, fc.nat(80), fc.nat(80), (text, before, after) => {
      const search = new PieceSearch(new Set([text]));
      const start = before + 1;
      const found = search.rangesIn(`${"-".repeat(start)}${text}${"-".repeat(after)}`, before);
      expect(found).toEqual([{ start, end: start + text.length }]);
    }),
  );
});

test("a text that has no piece of another is not found", () => {
  const search = new PieceSearch(new Set(["x".repeat(PIECE_LENGTH)]));
  fc.assert(fc.property(long, (text) => void expect(search.rangesIn(text)).toEqual([])));
  expect(search.rangesIn("x".repeat(PIECE_LENGTH - 1))).toEqual([]);
  expect(new PieceSearch(new Set()).rangesIn("x".repeat(PIECE_LENGTH))).toEqual([]);
});
