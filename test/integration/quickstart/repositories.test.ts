import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureRepository } from "@svc/deploy/quickstart/git/repositories.ts";

let root: string;
let gitDir: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-repositories-"));
  gitDir = join(root, "bare/sample.git");
  folder = join(root, "sample");
  mkdirSync(folder);
  writeFileSync(join(folder, "index.html"), "one");
  writeFileSync(join(folder, ".gitignore"), "node_modules/\n");
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "node_modules/left-out"), "");
});
afterEach(() => rmSync(root, { recursive: true }));

function git(...args: string[]): string {
  return execFileSync("git", ["--git-dir", gitDir, ...args], { encoding: "utf8" }).trim();
}

test("a sample's files are the main branch, without what it ignores", async () => {
  await ensureRepository(gitDir, folder);
  expect(git("ls-tree", "-r", "--name-only", "HEAD").split("\n")).toEqual([".gitignore", "index.html"]);
  expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
});

test("an unchanged sample keeps its commit, a changed one gets a further one", async () => {
  await ensureRepository(gitDir, folder);
  const first = git("rev-parse", "main");
  await ensureRepository(gitDir, folder);
  expect(git("rev-parse", "main")).toBe(first);
  writeFileSync(join(folder, "index.html"), "two");
  await ensureRepository(gitDir, folder);
  expect(git("rev-parse", "main^")).toBe(first);
});

test("commits of somebody else stay", async () => {
  await ensureRepository(gitDir, folder);
  const identity = ["-c", "user.name=Somebody", "-c", "user.email=s@example.com"];
  const theirs = git(...identity, "commit-tree", "main^{tree}", "-p", "main", "-m", "mine");
  git("update-ref", "refs/heads/main", theirs);
  writeFileSync(join(folder, "index.html"), "two");
  await ensureRepository(gitDir, folder);
  expect(git("rev-parse", "main")).toBe(theirs);
});
