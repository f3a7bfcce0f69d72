import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Access } from "../api/access.ts";
import { failed, wrongUse } from "../output/cli-error.ts";
import { askGit, git, requireGit, type GitOptions } from "./git.ts";

/** The branch of a repository that has no commit yet. */
const FIRST_BRANCH = "main";

/**
 * Is left out even where nothing says so: dependencies are installed by the build, and values of variables are no
 * source.
 */
const NEVER = ["node_modules/", ".venv/", "__pycache__/", ".env", ".env.local", ".env.*.local"];

export interface Folder {
  dir: string;
  /** Paths from it, each ended by NUL. */
  files: string;
}

export interface Snapshot {
  /** The commit that the branch has now, in full. */
  sha: string;
  /** False when the branch had all that already. */
  isNew: boolean;
}

/** Paths are bytes to git. */
const NAMES = { encoding: "latin1" } as const;

const IDENTITY = {
  GIT_AUTHOR_NAME: "svc",
  GIT_AUTHOR_EMAIL: "svc@localhost",
  GIT_COMMITTER_NAME: "svc",
  GIT_COMMITTER_EMAIL: "svc@localhost",
};

/**
 * Pushes the folder as it is, uncommitted files included and ignored ones not, as one more commit of the repository's
 * default branch. It works in a repository of its own in a temporary folder: index, branches, objects and configuration of
 * the user's are only read.
 * @param url of a repository on the platform's own git host
 * @throws CliError
 */
export async function pushSnapshot({ dir, files }: Folder, url: string, access: Access): Promise<Snapshot> {
  const gitDir = await mkdtemp(join(tmpdir(), "svc-snapshot-"));
  try {
    const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, ...IDENTITY, ...withCredentials(access) };
    const options = { cwd: dir, env };
    await initBare(gitDir);
    const { branch, parent } = await fetchDefault(url, options);
    await requireGit(["update-index", "--add", "--remove", "-z", "--stdin"], { ...options, ...NAMES, stdin: files });
    const tree = await requireGit(["write-tree"], options);
    if (parent !== undefined && tree === (await requireGit(["rev-parse", `${parent}^{tree}`], options))) {
      return { sha: parent, isNew: false };
    }
    const parents = parent === undefined ? [] : ["-p", parent];
    const commit = await requireGit(["commit-tree", tree, ...parents, "-m", await messageOf(dir)], options);
    const pushed = await git(["push", "--quiet", url, `${commit}:refs/heads/${branch}`], options);
    if (!pushed.ok) throw failed("push_failed", `The folder could not be pushed: ${wordsOf(pushed.stderr)}`);
    return { sha: commit, isNew: true };
  } finally {
    await rm(gitDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The branch that is deployed by default, and its commit; a repository that nobody has pushed to has none. @throws CliError */
async function fetchDefault(url: string, options: GitOptions): Promise<{ branch: string; parent: string | undefined }> {
  const head = await requireGit(["ls-remote", "--symref", url, "HEAD"], options);
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head) ?? [];
  if (branch === undefined) return { branch: FIRST_BRANCH, parent: undefined };
  await requireGit(["fetch", "--quiet", "--depth=1", "--no-tags", url, `refs/heads/${branch}`], options);
  return { branch, parent: await requireGit(["rev-parse", "FETCH_HEAD"], options) };
}

async function initBare(gitDir: string): Promise<void> {
  await requireGit(["init", "--quiet", "--bare", "--template=", gitDir], { cwd: gitDir });
}

/** Finds the files to push. @throws CliError wrong_use for a folder without files */
export async function readFolder(dir: string): Promise<Folder> {
  const files = await listFiles(dir);
  if (files === "") throw wrongUse(`${dir} has no files to deploy: they are all ignored, or there are none.`);
  return { dir, files };
}

/** Paths from the folder, each ended by NUL; what is listed and gone is left out by update-index. */
async function listFiles(dir: string): Promise<string> {
  const excludes = NEVER.map((pattern) => `--exclude=${pattern}`);
  const argv = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...excludes];
  const inRepository = (await askGit(["rev-parse", "--is-inside-work-tree"], dir)) === "true";
  if (inRepository) {
    await requireNoSubmodules(dir);
    return withoutFolders(await requireGit(argv, { cwd: dir, ...NAMES }));
  }
  // Any repository will do to look at a folder that is in none.
  const gitDir = await mkdtemp(join(tmpdir(), "svc-snapshot-"));
  try {
    const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir };
    await initBare(gitDir);
    return withoutFolders(await requireGit(argv, { cwd: dir, env, ...NAMES }));
  } finally {
    await rm(gitDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A submodule is a commit of another repository, which a snapshot of this one does not have. @throws CliError */
async function requireNoSubmodules(dir: string): Promise<void> {
  const staged = await requireGit(["ls-files", "-z", "--stage"], { cwd: dir });
  const submodules = staged.split("\0").flatMap((line) => (line.startsWith("160000 ") ? [line.split("\t")[1]!] : []));
  if (submodules.length === 0) return;
  const names = submodules.map((path) => JSON.stringify(path)).join(", ");
  throw wrongUse(
    `The folder can't be pushed as it is: ${names} ${submodules.length === 1 ? "is a submodule" : "are submodules"}, whose ` +
      "files belong to another repository. Deploy from a remote (without --local), or take them out of the index with " +
      "`git rm --cached`.",
  );
}

/** A repository inside of this one is listed as a folder, which a commit can't hold as files. */
function withoutFolders(paths: string): string {
  const files = paths.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
  return files.map((path) => `${path}\0`).join("");
}

/**
 * The key goes into git's environment, which other users can't read: not into a command line, a URL or a file. It is
 * sent to the service's own addresses alone, and no stored password is asked for.
 */
function withCredentials({ url, key }: Access): Record<string, string> {
  const basic = Buffer.from(`svc:${key}`).toString("base64");
  const pairs = [
    [`http.${url}/git/.extraHeader`, `Authorization: Basic ${basic}`],
    ["http.followRedirects", "false"],
    ["credential.helper", ""],
    ["core.hooksPath", "/dev/null"],
    ["core.autocrlf", "false"],
    ["core.bare", "false"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    // Files that a filter would replace by pointers are pushed as they are.
    ["filter.lfs.process", ""],
    ["filter.lfs.clean", ""],
    ["filter.lfs.required", "false"],
  ] as const;
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
  pairs.forEach(([name, value], i) =>
    Object.assign(env, { [`GIT_CONFIG_KEY_${i}`]: name, [`GIT_CONFIG_VALUE_${i}`]: value }),
  );
  return env;
}

async function messageOf(dir: string): Promise<string> {
  const head = await askGit(["rev-parse", "--short", "--verify", "--quiet", "HEAD^{commit}"], dir);
  return `Snapshot of ${basename(dir)}${head === undefined ? "" : ` at ${head}`}`;
}

/** Returns the service's words, after "remote:"; git's own words otherwise. */
function wordsOf(stderr: string): string {
  const remote = [...stderr.matchAll(/^remote: (.+)$/gm)].map(([, text]) => text!.trim());
  return (remote.length > 0 ? remote.join(" ") : stderr.trim()) || "git said nothing.";
}
