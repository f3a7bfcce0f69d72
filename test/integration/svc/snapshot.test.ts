import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pushSnapshot, readFolder } from "svc-cli/project/snapshot.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

const run = promisify(execFile);

let world: SvcWorld;
let count = 0;
/** The folder of this test: its repository's address and the folder that the platform keeps it in. */
let dir: string;
let url: string;
let served: string;

beforeAll(async () => {
  world = await startSvcWorld();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  const name = `snapshot-${++count}`;
  const { json } = await world.caller.call("POST", "/api/repositories", { name });
  url = String(json["repo_url"]).replace("http://127.0.0.1", world.url);
  const { rows } = await world.http.database.query("select id from repositories where name = $1", [name]);
  served = join(world.http.hosting.folders.root, `${String(rows[0]?.["id"])}.git`);
  dir = join(world.user.folder, name);
  await mkdir(dir);
});

const write = (files: Record<string, string>) =>
  world.user.write(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`snapshot-${count}/${path}`, text])),
  );
const push = async (key = world.caller.key) =>
  (await pushSnapshot(await readFolder(dir), url, { url: world.url, key })).sha;
const git = async (...argv: string[]): Promise<string> => {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.test"];
  return (await run("git", [...identity, ...argv], { cwd: dir })).stdout;
};
const tree = async (): Promise<string[]> => {
  const { stdout } = await run("git", ["--git-dir", served, "ls-tree", "-r", "main"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/ \w+ [0-9a-f]+\t/, " "));
};
const commits = async (): Promise<number> =>
  Number((await run("git", ["--git-dir", served, "rev-list", "--count", "main"])).stdout);

test("files keep their mode, links stay links, and what is ignored or never source stays here", async () => {
  await write({
    "bin/run": "#!/bin/sh\n",
    "ü ö.txt": "names of any kind",
    ".gitignore": "*.log\n",
    "a.log": "ignored",
    ".env": "SECRET=canary",
    "sub/.env.production.local": "SECRET=canary",
    "node_modules/x/index.js": "installed",
  });
  await chmod(join(dir, "bin/run"), 0o755);
  await symlink("bin/run", join(dir, "link"));
  await push();
  expect(await tree()).toEqual([
    "100644 .gitignore",
    "100755 bin/run",
    "120000 link",
    String.raw`100644 "\303\274 \303\266.txt"`,
  ]);
});

test("names that are no UTF-8 are pushed as they are, from a folder in a repository and in none", async () => {
  const named = (name: string) => Buffer.from(`${dir}/${name}`, "latin1");
  await writeFile(named("caf\xe9.txt"), "one");
  await push();
  expect(await tree()).toEqual([String.raw`100644 "caf\351.txt"`]);
  await git("init", "--quiet");
  await writeFile(named("th\xe9.txt"), "two");
  await push();
  expect(await tree()).toEqual([String.raw`100644 "caf\351.txt"`, String.raw`100644 "th\351.txt"`]);
});

test("the same files are the same commit, changed ones a commit on top", async () => {
  await write({ "index.html": "one" });
  const first = await push();
  expect(await push()).toBe(first);
  await write({ "index.html": "two" });
  expect(await push()).not.toBe(first);
  expect(await commits()).toBe(2);
});

test("it goes to the default branch, whatever that is called", async () => {
  await write({ "index.html": "one" });
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=x");
  const header = `Authorization: Basic ${Buffer.from(`x:${world.caller.key}`).toString("base64")}`;
  await git("-c", `http.extraHeader=${header}`, "push", "--quiet", url, "HEAD:refs/heads/trunk");
  await write({ "index.html": "two" });
  await push();
  const log = (await run("git", ["--git-dir", served, "log", "--format=%D", "--all"])).stdout;
  expect(log.trim()).toBe("HEAD -> trunk");
});

test("in a repository it takes what git takes: tracked files, edits, no deleted ones, no repository inside", async () => {
  await write({
    "kept.txt": "1",
    "gone.txt": "1",
    "tracked.log": "1",
    "nested/inner.txt": "1",
    ".gitignore": "*.log\n",
  });
  await git("init", "--quiet");
  await git("add", "--force", "--all");
  await git("commit", "--quiet", "--message=x");
  await rm(join(dir, "gone.txt"));
  await write({ "kept.txt": "2", "new.txt": "1", "other.log": "1", "inside/file.txt": "1" });
  await run("git", ["init", "--quiet"], { cwd: join(dir, "inside") });
  await push();
  expect((await tree()).map((line) => line.split(" ")[1])).toEqual([
    ".gitignore",
    "kept.txt",
    "nested/inner.txt",
    "new.txt",
    "tracked.log",
  ]);
  expect((await run("git", ["--git-dir", served, "show", "main:kept.txt"])).stdout).toBe("2");
});

test("a folder inside of a repository is pushed alone, and what its parents ignore stays here", async () => {
  await write({ ".gitignore": "*.tmp\n", "app/index.html": "1", "app/x.tmp": "1", "other/y.txt": "1" });
  await git("init", "--quiet");
  await pushSnapshot(await readFolder(join(dir, "app")), url, { url: world.url, key: world.caller.key });
  expect(await tree()).toEqual(["100644 index.html"]);
});

test("nothing is left behind, whether the push works or not", async () => {
  const own = join(dir, "..", "temporary");
  await mkdir(own);
  vi.stubEnv("TMPDIR", own);
  await expect(push()).rejects.toThrow("has no files");
  await write({ a: "1" });
  await push();
  await expect(push("svc_wrong-canary")).rejects.toThrow(/^(?!.*canary)/);
  expect(tmpdir()).toBe(own);
  expect(await readdir(own)).toEqual([]);
});

test("a refusal of the service is shown in its words", async () => {
  await write({ a: "1" });
  const reader = await world.http.addCaller({ userId: world.caller.userId, scopes: ["apps:read"] });
  await expect(push(reader.key)).rejects.toThrow(/apps:write|403/);
});

test("submodules are refused by name", async () => {
  await write({ "a.txt": "one" });
  await git("init", "--quiet");
  await git("add", "a.txt");
  await git("commit", "--quiet", "--message=one");
  const head = (await git("rev-parse", "HEAD")).trim();
  await git("update-index", "--add", "--cacheinfo", `160000,${head},themes/plain`);
  await expect(push()).rejects.toThrow('"themes/plain" is a submodule');
});
