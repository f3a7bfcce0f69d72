import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryRoot } from "./dependencies.mjs";

let root: string;

/** The repository as git has it: nothing was installed or built. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "svc-bare-"));
  const files = execFileSync("git", ["ls-files", "-z", "deploy", "package.json"], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => /\.(mjs|json)$/.test(name)))
    cpSync(join(repositoryRoot, file), join(root, file), { recursive: true, dereference: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function outputOf(script: string, ...args: string[]): Promise<string> {
  const ended = promisify(execFile)(process.execPath, [join(root, script), ...args], { cwd: dirname(root) });
  return ended.then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

test.each([
  ["deploy/quickstart/bootstrap.mjs", ["--once", "--detach"], "--once and --detach exclude each other."],
  ["deploy/setup/prepare.mjs", ["--for", "nothing"], "nothing"],
])("%s begins before anything is installed", async (script, args, sentence) => {
  const output = await outputOf(script, ...args);
  expect(output).not.toContain("ERR_MODULE_NOT_FOUND");
  expect(output).toContain(sentence);
});
