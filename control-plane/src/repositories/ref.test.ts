import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRef } from "./ref.ts";

test.each(["main", "v1.2.3", "feature/x", "refs/heads/main", "a".repeat(40), "ü", "a@b", "a\u202fb", "x".repeat(255)])(
  "takes %s",
  (ref) => expect(() => checkRef(ref)).not.toThrow(),
);

const FLAWED = [
  "",
  "-x",
  "--upload-pack=touch /tmp/x",
  "a..b",
  "a:b",
  "a*",
  "a?",
  "a[b",
  "a\\b",
  "a b",
  "a~1",
  "a^",
  "a\nb",
  "a\0b",
  "@",
  "a@{1}",
  "/a",
  "a/",
  "a//b",
  "a.",
  ".a",
  "a/.b",
  "a.lock",
  "a.lock/b",
  "\u007f",
  "\ud800",
  "x".repeat(256),
];

test.each(FLAWED)("refuses %j", (ref) => expect(() => checkRef(ref)).toThrow(/can't be a branch, tag or commit/));

test("nothing that is taken could be an option, a refspec or a pattern", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (ref) => {
      try {
        checkRef(ref);
      } catch {
        return;
      }
      // Of white space git refuses the space, and what is a control character.
      expect(ref).not.toMatch(/^-|[ :*?[\\^~]|\.\.|\p{Cc}/u);
    }),
    { numRuns: 1_000 },
  );
});
