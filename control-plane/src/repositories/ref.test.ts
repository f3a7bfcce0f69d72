import { expect, test } from "vitest";
import { checkRef } from "./ref.ts";

test.each([
  ["", 'The ref "" can\'t be a branch, tag or commit: it is empty; leave it out for the default branch.'],
  ["a:b", 'The ref "a:b" can\'t be a branch, tag or commit: it holds ":".'],
  ["a..b", 'The ref "a..b" can\'t be a branch, tag or commit: it holds two dots.'],
])("the ref %j is refused with a sentence", (ref, message) =>
  expect(() => checkRef(ref)).toThrow(expect.objectContaining({ code: "invalid_request", message })),
);

test("a branch, a tag and a commit are refs", () => {
  for (const ref of ["main", "refs/tags/v1", "a".repeat(40)]) expect(() => checkRef(ref)).not.toThrow();
});
