import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const samplesFolder = fileURLToPath(new URL("../samples", import.meta.url));

const AUTHOR = "quickstart";

function sampleNames(): string[] {
  return readdirSync(samplesFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/** Makes a bare repository of each sample, `<root>/<name>.git`; a changed sample becomes a further commit. */
export async function ensureRepositories(root: string): Promise<void> {
  for (const name of sampleNames()) await ensureRepository(join(root, `${name}.git`), join(samplesFolder, name));
}

/** A bare repository whose main branch holds the folder's files. */
export async function ensureRepository(gitDir: string, folder: string): Promise<void> {
  const git = gitIn(gitDir, folder);
  mkdirSync(dirname(gitDir), { recursive: true, mode: 0o700 });
  if (!existsSync(join(gitDir, "HEAD"))) await git("init", "--quiet", "--bare", "--initial-branch=main", gitDir);

  const tree = await sampleTree(git, join(gitDir, "quickstart-index"));
  const [author, head, headTree] = await currentCommit(git);
  // A commit of somebody else's is theirs: the sample is only where they started from.
  if (headTree === tree || (author !== undefined && author !== AUTHOR)) return;
  const parent = head === undefined ? [] : ["-p", head];
  const commit = await git("commit-tree", tree, ...parent, "-m", `The ${basename(folder)} sample`);
  await git("update-ref", "refs/heads/main", commit);
}

/** The sample's files as a git tree. The index is one of its own and thrown away. */
async function sampleTree(git: Git, index: string): Promise<string> {
  rmSync(index, { force: true });
  try {
    await git.withIndex(index)("add", "--all", ".");
    return await git.withIndex(index)("write-tree");
  } finally {
    rmSync(index, { force: true });
  }
}

/** Author, commit and tree of the main branch; nothing when it has no commit yet. */
async function currentCommit(git: Git): Promise<string[]> {
  const line = await git("for-each-ref", "--format=%(authorname)%00%(objectname)%00%(tree)", "refs/heads/main");
  return line === "" ? [] : line.split("\0");
}

interface Git {
  (...args: string[]): Promise<string>;
  withIndex(file: string): (...args: string[]) => Promise<string>;
}

/** Nothing of the user's git configuration (hooks, signing, line ends) takes part. */
function gitIn(gitDir: string, workTree: string): Git {
  const env = {
    PATH: process.env.PATH,
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_AUTHOR_NAME: AUTHOR,
    GIT_AUTHOR_EMAIL: "quickstart@example.com",
    GIT_COMMITTER_NAME: AUTHOR,
    GIT_COMMITTER_EMAIL: "quickstart@example.com",
  };
  const call =
    (extra: NodeJS.ProcessEnv) =>
    async (...args: string[]): Promise<string> => {
      // `init --bare` refuses to be told of a work tree.
      const variables = args[0] === "init" ? { ...env, GIT_WORK_TREE: undefined } : env;
      const { stdout } = await promisify(execFile)("git", args, { cwd: workTree, env: { ...variables, ...extra } });
      return stdout.trim();
    };
  return Object.assign(call({}), { withIndex: (file: string) => call({ GIT_INDEX_FILE: file }) });
}
