import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";

const script = fileURLToPath(new URL("run-agent.sh", import.meta.url));
let root: string;

/** A version whose program says its name. */
function addVersion(version: string): void {
  const folder = join(root, "versions", version);
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin/node"), `#!/bin/sh\necho ${version} "\${1##*/}"\n`, { mode: 0o755 });
}

function lead(name: "current" | "former", version: string): void {
  rmSync(join(root, name), { force: true });
  symlinkSync(join("versions", version), join(root, name));
}

/** One start. @returns what the program says that was started */
function start(): string {
  return execFileSync("sh", [join(root, "run-agent")], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-run-agent-"));
  execFileSync("cp", [script, join(root, "run-agent")]);
  for (const version of ["old", "new"]) addVersion(version);
  lead("current", "new");
  lead("former", "old");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("starts the current version, as often as it ends", () => {
  expect([start(), start(), start()]).toEqual(["new agent.mjs", "new agent.mjs", "new agent.mjs"]);
});

it("goes back to the version before one that was started twice without a link, and stays there", () => {
  writeFileSync(join(root, "trial"), "");
  expect([start(), start()]).toEqual(["new agent.mjs", "new agent.mjs"]);
  expect([start(), start(), start()]).toEqual(["old agent.mjs", "old agent.mjs", "old agent.mjs"]);
  expect(readlinkSync(join(root, "current"))).toBe("versions/old");
  expect(existsSync(join(root, "trial"))).toBe(false);
});

it("stays with a new version that was linked in between", () => {
  writeFileSync(join(root, "trial"), "");
  start();
  rmSync(join(root, "trial"));
  expect([start(), start(), start()]).toEqual(["new agent.mjs", "new agent.mjs", "new agent.mjs"]);
});

it("starts the version before where an upgrade was cut off between the trial's file and the new version", () => {
  lead("current", "old");
  lead("former", "old");
  writeFileSync(join(root, "trial"), "");
  expect([start(), start(), start()]).toEqual(["old agent.mjs", "old agent.mjs", "old agent.mjs"]);
});

it("starts the version before where the disk has no room to count starts", () => {
  // A file of one line that takes no more.
  symlinkSync("/proc/version", join(root, "trial"));
  expect([start(), start(), start()]).toEqual(["old agent.mjs", "old agent.mjs", "old agent.mjs"]);
});

it("ends a new version that hangs, and leaves one alone that has proven itself meanwhile", async () => {
  // The limit is 90 s; a shorter one for this test.
  writeFileSync(join(root, "run-agent"), readFileSync(script, "utf8").replace("SECONDS_MAX=90", "SECONDS_MAX=0.2"));
  const program = join(root, "versions/new/bin/node");
  rmSync(program);
  // Hangs at a pipe that nobody writes. A program of its own, so that the process is known by its path.
  execFileSync("cp", ["/usr/bin/tail", program]);
  mkdirSync(join(root, "versions/new/dist"));
  const pipe = join(root, "versions/new/dist/agent.mjs");
  execFileSync("mkfifo", [pipe]);
  const run = async (meanwhile = (): void => undefined): Promise<string | null> => {
    const child = spawn("sh", [join(root, "run-agent")], { stdio: "ignore" });
    const ended = once(child, "exit");
    // It hangs once it has opened the pipe, which is what opening the other end waits for.
    const writer = await open(pipe, "w");
    meanwhile();
    // Longer than the limit: its end would come first.
    const signal = await Promise.race([ended.then(([, each]) => each as string | null), delay(1_000, "none")]);
    await writer.close();
    await ended;
    return signal;
  };
  writeFileSync(join(root, "trial"), "");
  expect(await run()).toBe("SIGKILL");
  writeFileSync(join(root, "trial"), "");
  expect(await run(() => rmSync(join(root, "trial")))).toBe("none");
});
