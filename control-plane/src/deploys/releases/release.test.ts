import { expect, test } from "vitest";
import { checkReleaseName, defaultReleaseName, rollbackReleaseName } from "./release.ts";

const CHARACTERS_128 = ["x".repeat(128), "😀".repeat(128)];

test.each([
  "v1",
  "1.2.3",
  "Spring release (2nd try)",
  ".x",
  "-x",
  "a/b",
  "ä",
  "日本",
  ...CHARACTERS_128,
  defaultReleaseName(12),
])("%j names a release", (name) => {
  expect(() => checkReleaseName(name)).not.toThrow();
});

test.each(["", " ", " a", "a ", "a\n", "a\tb", "a\u202eb", "a\u00a0b", "\ud800", "x".repeat(129), "😀".repeat(129)])(
  "%j names no release",
  (name) => {
    expect(() => checkReleaseName(name)).toThrow(/1 to 128 printable characters/);
  },
);

test("a rollback's own name is none that a user can give", () => {
  expect(() => checkReleaseName(rollbackReleaseName("0198c0de-7a11-7000-8000-000000000001"))).toThrow(
    /begin with rollback:/,
  );
});
