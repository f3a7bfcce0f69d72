import { expect, test } from "vitest";
import { rootFolder } from "./root-folder.ts";

test.each([
  ["apps/web", "apps/web"],
  ["./apps/web/", "apps/web"],
  ["apps//web/.", "apps/web"],
  [".", ""],
  ["./", ""],
  ["größe/a b", "größe/a b"],
  ["..hidden/...", "..hidden/..."],
  [".github", ".github"],
])("%j is the folder %j", (text, folder) => {
  expect(rootFolder(text)).toBe(folder);
});

test.each([
  "",
  "/",
  "/etc",
  "..",
  "../x",
  "a/../b",
  "a/..",
  ".git",
  "a/.git/b",
  "a\\b",
  "a\nb",
  "a\u0000",
  "a\u200b",
  "x".repeat(256),
])("%j is no folder of a repository", (text) => {
  expect(rootFolder(text)).toBeUndefined();
});
