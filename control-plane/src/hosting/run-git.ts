import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gitEnvironment } from "./git-environment.ts";

const run = promisify(execFile);

/**
 * What the host does by itself touches a few hundred files at most. Four commands that hang end before the database ends
 * the transaction that waits for them (60 s, db/database.ts).
 */
const MS_MAX = 10_000;

/**
 * Runs git on a repository of ours and returns what it wrote, without the line end.
 * @throws Error with git's own words when it fails, or takes longer than 10 s
 */
export async function runGit(
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run("git", argv, {
    cwd: "/",
    env: gitEnvironment(variables),
    timeout: MS_MAX,
    killSignal: "SIGKILL",
    maxBuffer: 1024 * 1024,
  });
  return stdout.trim();
}
