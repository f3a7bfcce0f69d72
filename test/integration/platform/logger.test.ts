import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { expect, test } from "vitest";

const MODULE = new URL("../../../shared/src/platform/logger.ts", import.meta.url).href;
/** Returns the output of a process that logs, with `end` as its last statement. */
function run(readable: boolean, stderr: number | "pipe", end: string) {
  const script = `
    const { createLogger } = await import(${JSON.stringify(MODULE)});
    const log = createLogger({ name: "test", readable: ${readable} });
    for (let line = 0; line < 3; line++) log.info({ line }, "said");
    ${end}`;
  const argv = ["--input-type=module", "--eval", script];
  return spawnSync(process.execPath, argv, { stdio: ["ignore", "pipe", stderr], encoding: "utf8", timeout: 10_000 });
}

test.each([true, false])("logged lines are there whatever happens next (readable: %s)", (readable) => {
  const { stderr, signal } = run(readable, "pipe", 'process.kill(process.pid, "SIGKILL");');
  expect(signal).toBe("SIGKILL");
  expect(stderr.match(/said/g)).toHaveLength(3);
});

test.each([true, false])("a process whose log can't be written goes on, and can end (readable: %s)", (readable) => {
  const end = 'setTimeout(() => { log.fatal("said later"); console.log("alive"); process.exit(3); }, 10);';
  const { stdout, status } = run(readable, openSync("/dev/full", "w"), end);
  expect({ stdout, status }).toEqual({ stdout: "alive\n", status: 3 });
});

test.each([true, false])("long lines are there whole (readable: %s)", (readable) => {
  const { stderr } = run(readable, "pipe", 'log.info("a".repeat(300_000) + "z");');
  expect(stderr).toMatch(/a{300000}z/);
});
