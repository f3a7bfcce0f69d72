import { expect, test } from "vitest";
import { folderMatcher } from "./folder-glob.ts";

const isMatched = (folder: string, globs: readonly string[]): boolean => folderMatcher(globs)(folder);

test.each([
  ["apps/*", ["apps/web"], ["apps", "apps/web/src", "packages/web"]],
  ["./apps/*/", ["apps/web"], ["apps"]],
  ["packages/**", ["packages/ui", "packages/ui/core"], ["apps/ui"]],
  ["packages/**/core", ["packages/core", "packages/a/b/core"], ["packages/a"]],
  ["{apps,packages}/*", ["apps/web", "packages/ui"], ["other/ui"]],
  ["web", ["web"], ["web/a", "webs"]],
  ["@acme/*-kit", ["@acme/ui-kit"], ["@acme/kit"]],
  ["a.b/(x)", ["a.b/(x)"], ["acb/x"]],
])("%s matches the folders of a workspace and no others", (glob, inside, outside) => {
  expect(inside.filter((folder) => !isMatched(folder, [glob]))).toEqual([]);
  expect(outside.filter((folder) => isMatched(folder, [glob]))).toEqual([]);
});

test("a pattern behind an exclamation mark takes folders out again", () => {
  expect(isMatched("packages/ui", ["packages/*", "!packages/old"])).toBe(true);
  expect(isMatched("packages/old", ["packages/*", "!packages/old"])).toBe(false);
});

test("a pattern that was made to be slow is matched at once", () => {
  const started = performance.now();
  isMatched("a".repeat(255), ["*a".repeat(50)]);
  isMatched(Array.from({ length: 60 }, () => "a").join("/"), ["**/".repeat(30) + "b"]);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("braces that stand for thousands of patterns are matched at once, in a workspace of two thousand folders", () => {
  const words = ",".repeat(47);
  const matches = folderMatcher(Array.from({ length: 50 }, () => `{${words}}{${words}}x`));
  const started = performance.now();
  for (let i = 0; i < 2000; i++) matches(`packages/member-${i}`);
  expect(performance.now() - started).toBeLessThan(1000);
});
