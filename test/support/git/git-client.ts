import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface GitOutcome {
  ok: boolean;
  /** Standard output and error. */
  text: string;
}

/** A person's git: real, with a home of its own, the password handed over as a header. */
export interface GitClient {
  directory: string;
  /** Clones into the folder `name`. */
  clone(url: string, name: string, password: string | undefined): Promise<GitOutcome>;
  /** Runs git in the folder `name`. */
  git(name: string, password: string | undefined, ...argv: string[]): Promise<GitOutcome>;
  /** Writes the files and commits them. */
  commit(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<string>;
  remove(): Promise<void>;
}

export async function makeGitClient(): Promise<GitClient> {
  const directory = await mkdtemp(join(tmpdir(), "svc-git-client-"));

  async function git(cwd: string, password: string | undefined, argv: readonly string[]): Promise<GitOutcome> {
    try {
      const { stdout, stderr } = await run("git", argv, { cwd, env: environment(directory, password) });
      return { ok: true, text: stdout + stderr };
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      return { ok: false, text: stdout + stderr };
    }
  }

  return {
    directory,
    clone: (url, name, password) => git(directory, password, ["clone", "--quiet", url, name]),
    git: (name, password, ...argv) => git(join(directory, name), password, argv),
    async commit(name, files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(directory, name, path)), { recursive: true });
        await writeFile(join(directory, name, path), content);
      }
      await git(join(directory, name), undefined, ["add", "--all"]);
      await git(join(directory, name), undefined, ["commit", "--quiet", "--message=change"]);
      const { text } = await git(join(directory, name), undefined, ["rev-parse", "HEAD"]);
      return text.trim();
    },
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function environment(home: string, password: string | undefined): Record<string, string> {
  const basic = Buffer.from(`anyone:${password ?? ""}`).toString("base64");
  const header = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "test",
    GIT_AUTHOR_EMAIL: "test@example.test",
    GIT_COMMITTER_NAME: "test",
    GIT_COMMITTER_EMAIL: "test@example.test",
    ...(password === undefined ? {} : header),
  };
}
