import fc from "fast-check";
import { expect, test } from "vitest";
import { makeUserCode, parseUserCode, showUserCode } from "./device-code.ts";

test("a user code is read in either case, with or without its hyphen", () => {
  for (let i = 0; i < 100; i++) {
    const code = makeUserCode();
    const shown = showUserCode(code);
    expect(shown).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const typed of [shown, code, shown.toLowerCase(), ` ${shown.replace("-", " ")}\n`]) {
      expect(parseUserCode(typed)).toBe(code);
    }
  }
});

test("a text that holds other letters, or more or fewer of them, is no user code", () => {
  for (const typed of ["", "BCDF", "BCDF-GHJA", "BCDF-GHJ0", "BCDF-GHJKL", "BCDF_GHJK"]) {
    expect([typed, parseUserCode(typed)]).toEqual([typed, undefined]);
  }
  fc.assert(
    fc.property(fc.string(), (typed) => {
      const code = parseUserCode(typed);
      expect(code === undefined || /^[B-Z]{8}$/.test(code)).toBe(true);
    }),
  );
});
