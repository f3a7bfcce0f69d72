import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dependenciesAreCurrent } from "./dependencies.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-dependencies-"));
  mkdirSync(join(root, "node_modules"));
  write("package-lock.json", { "": {}, cli: {}, "node_modules/a": { version: "1.0.0" } });
  write("node_modules/.package-lock.json", { "node_modules/a": { version: "1.0.0" } });
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, packages: object): void {
  writeFileSync(join(root, file), JSON.stringify({ packages }));
}

test("dependencies in the lock file's versions are current", () => {
  expect(dependenciesAreCurrent(root)).toBe(true);
});

test("a fresh clone has none", () => {
  rmSync(join(root, "node_modules"), { recursive: true });
  expect(dependenciesAreCurrent(root)).toBe(false);
});

test("another version, or a further package, has to be installed", () => {
  write("package-lock.json", { "node_modules/a": { version: "1.0.1" } });
  expect(dependenciesAreCurrent(root)).toBe(false);
  write("package-lock.json", { "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "1.0.0" } });
  expect(dependenciesAreCurrent(root)).toBe(false);
});

test("an optional package of another platform may be missing", () => {
  write("package-lock.json", {
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "1.0.0", optional: true },
  });
  expect(dependenciesAreCurrent(root)).toBe(true);
});
