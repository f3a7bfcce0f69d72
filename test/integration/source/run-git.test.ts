import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const MODULE = new URL("../../../agent/src/source/git/run-git.ts", import.meta.url).href;
/** Leaves room for `process.argv[1]` open files, then runs git. */
const SCRIPT = `
  import { closeSync, openSync } from "node:fs";
  import { runGit } from ${JSON.stringify(MODULE)};
  const files = [];
  try { for (;;) files.push(openSync("/dev/null")); } catch {}
  for (let room = Number(process.argv[1]); room > 0; room--) closeSync(files.pop());
  const env = { PATH: process.env.PATH };
  const answer = await runGit({ argv: ["version"], cwd: "/", env, signal: new AbortController().signal }).catch(({ code }) => code);
  for (const file of files) closeSync(file);
  console.log(answer.trim());`;

test(
  "git is run or refused, and nothing else, however little room there is for open files",
  { timeout: 60_000 },
  () => {
    const answers = Array.from({ length: 9 }, (_, room) => {
      const argv = [process.execPath, "--input-type=module", "--eval", SCRIPT, "--", String(room)];
      const { stdout, stderr, status } = spawnSync("bash", ["-c", 'ulimit -n 64 && exec "$@"', "bash", ...argv], {
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout.trim();
    });
    expect(answers[0]).toBe("repository_unreachable");
    expect(answers.at(-1)).toMatch(/^git version/);
    for (const answer of answers) expect(answer).toMatch(/^(repository_unreachable|git version .*)$/);
  },
);
