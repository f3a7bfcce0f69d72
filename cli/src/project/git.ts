import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { CliError, EXIT, failed } from "../output/cli-error.ts";
import { gitAuthorityHint } from "../runtime/private-authority.ts";

export interface GitOptions {
  cwd: string;
  /** Is added to the environment: configuration and credentials go here, never on the command line. */
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /**
   * The encoding of standard input and output: latin1 takes names of files through as they are, whatever their
   * encoding.
   */
  encoding?: "utf8" | "latin1";
  signal?: AbortSignal;
}

/** The user's own git, so that what it is configured to ignore, and its certificates and proxies, count. */
export async function git(argv: readonly string[], options: GitOptions) {
  const child = spawn("git", argv, {
    cwd: options.cwd,
    env: { ...withoutGitVariables(process.env), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", ...options.env },
    stdio: "pipe",
    ...(options.signal && { signal: options.signal }),
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new CliError("git_missing", "git is not installed here, and svc needs it: install it first.", EXIT.usage);
  });
  // git may end without having read it all.
  child.stdin.on("error", () => undefined);
  const { stdin = "", encoding = "utf8" } = options;
  child.stdin.end(stdin, encoding);
  const [status, stdout, stderr] = await Promise.all([closed, buffer(child.stdout), buffer(child.stderr)]);
  return { ok: status === 0, stdout: stdout.toString(encoding), stderr: stderr.toString("utf8") };
}

/** Its standard output without the last end of line. @throws CliError git_failed with git's own words */
export async function requireGit(argv: readonly string[], options: GitOptions): Promise<string> {
  const { ok, stdout, stderr } = await git(argv, options);
  if (ok) return stdout.replace(/\n$/, "");
  throw failed(
    "git_failed",
    `git ${argv[0]} failed: ${stderr.trim() || "it said nothing."}${gitAuthorityHint(stderr)}`,
  );
}

/** Is undefined when git has nothing to say, or the folder is in no repository. */
export async function askGit(argv: readonly string[], cwd: string): Promise<string | undefined> {
  const { ok, stdout } = await git(argv, { cwd });
  const text = stdout.replace(/\n$/, "");
  return ok && text !== "" ? text : undefined;
}

/** A hook that calls svc has variables that point git at another repository, and traces would show credentials. */
function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = /^GIT_(SSL_|PROXY_|SSH|EXEC_PATH$|CONFIG_GLOBAL$|CONFIG_NOSYSTEM$)/;
  return Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith("GIT_") || kept.test(key)));
}
