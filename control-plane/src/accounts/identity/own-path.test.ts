import { expect, test } from "vitest";
import { ownPath } from "./own-path.ts";

test.each(["/", "/apps/web/logs?text=a%20b#L12", "/apps//web"])("%s is gone to after a sign-in", (path) => {
  expect(ownPath(path)).toBe(path);
});

test("a path that is longer than 2,000 characters when it is sent leads to the start", () => {
  expect(ownPath(`/${"x".repeat(1_999)}`)).toHaveLength(2_000);
  for (const path of [`/${"x".repeat(2_000)}`, `/${"é".repeat(400)}`]) expect(ownPath(path)).toBe("/");
});

test.each([
  undefined,
  "",
  "apps",
  "//elsewhere.example",
  "/\\elsewhere.example",
  "\\\\elsewhere.example",
  "/\t/elsewhere.example",
  "/.//elsewhere.example",
  "/a/..//elsewhere.example",
  "https://elsewhere.example/",
  "javascript:alert(1)",
  " //elsewhere.example",
])("%j leads to the start", (path) => expect(ownPath(path)).toBe("/"));
