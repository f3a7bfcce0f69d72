import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { boundedGit, OWN_BOUNDS } from "./git-bounds.ts";
import { gitEnvironment } from "./git-environment.ts";

const run = promisify(execFile);

/**
 * Runs git on a repository of ours, within its bounds, and returns what it wrote, without the line end.
 * @throws Error with git's own words when it fails, or takes longer than 10 s
 */
export async function runGit(
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run(...boundedGit(OWN_BOUNDS, argv), {
    cwd: "/",
    env: gitEnvironment(variables, OWN_BOUNDS),
    timeout: OWN_BOUNDS.msMax,
    killSignal: "SIGKILL",
    maxBuffer: 1024 * 1024,
  });
  return stdout.trim();
}
