import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFullSha, isShortSha, refProblem } from "./git-ref.ts";

describe("a ref", () => {
  it.each([
    "main",
    "feature/one",
    "v1.2.3",
    "HEAD",
    "refs/heads/main",
    "a@b",
    "+plus",
    "ünïcode",
    "{x}",
    "a\u202fb",
    "a".repeat(255),
    "ü".repeat(127),
  ])("may be %j", (ref) => expect(refProblem(ref)).toBeUndefined());

  const hidden = ["", "a b", "a\nb", "a\0", "\u007f", "\ud800", "a".repeat(256), "ü".repeat(128)];
  const written = String.raw`- --upload-pack=/bin/sh -x a..b a:b a* a? a[ a~1 a^ a\b /a a/ a//b .a a/.b a. a.lock --upload-pack=touch a.lock/b @ a@{1}`;
  it.each([...hidden, ...written.split(" ")])("cannot be %j", (ref) => expect(refProblem(ref)).toBeTypeOf("string"));

  it("never holds what git or a refspec would give a meaning", () => {
    const tricky = fc.string({ unit: fc.constantFrom(..."-+:*?[~^@{}\\/. \tabc\0\n".split("")), maxLength: 20 });
    fc.assert(
      fc.property(tricky, (ref) => {
        if (refProblem(ref) !== undefined) return;
        expect(ref).not.toMatch(/^-|[:*?[~^\\\s\0]|\.\.|@\{|\/\/|^\/|\/$/);
      }),
      { numRuns: 2000 },
    );
  });
});

it("nothing that is taken could be an option, a refspec or a pattern", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (ref) => {
      if (refProblem(ref) !== undefined) return;
      // Git refuses the space and the control characters, and takes all other white space.
      expect(ref).not.toMatch(/^-|[ :*?[\\^~]|\.\.|\p{Cc}/u);
    }),
    { numRuns: 1_000 },
  );
});

describe("object names", () => {
  it("tells full from short ones", () => {
    expect(isFullSha("a".repeat(40))).toBe(true);
    expect(isFullSha("A".repeat(64))).toBe(true);
    expect(isFullSha("a".repeat(39))).toBe(false);
    expect(isShortSha("abcdef1")).toBe(true);
    expect(isShortSha("abcdef")).toBe(false);
    expect(isShortSha("a".repeat(40))).toBe(false);
    expect(isShortSha("main")).toBe(false);
  });
});
