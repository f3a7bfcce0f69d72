import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const DOCUMENTS = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && !/^(test\/fixtures|deploy\/(templates|quickstart\/samples))\//.test(path));

/** The workspaces, in which documents name files by their whole path. */
const SOURCE = /^(?:agent|cli|control-plane|deploy|proto|shared|test)\/[\w./*{},-]+$/;

function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!).filter((code) => SOURCE.test(code));
}

test("the documents are found, with the paths in them", () => {
  const paths = DOCUMENTS.flatMap((path) => pathsIn(readFileSync(join(ROOT, path), "utf8")));
  expect(paths).toContain("shared/src/rules/step-limits.ts");
  expect(paths.length).toBeGreaterThan(20);
});

test.each(DOCUMENTS)("the files that %s names are there", (document) => {
  const paths = pathsIn(readFileSync(join(ROOT, document), "utf8"));
  const places = [ROOT, join(ROOT, dirname(document))];
  const isThere = (path: string): boolean =>
    places.some((place) => existsSync(join(place, path)) || globSync(path, { cwd: place }).length > 0);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});
