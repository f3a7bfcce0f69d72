import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { SvcError } from "@svc/shared/errors.ts";

export interface GitCommand {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Kills git and everything that it started. */
  signal: AbortSignal;
  /** Is called with each piece of standard output instead of collecting it. */
  onStdout?: (chunk: Buffer) => void;
  /** Is called whenever git says something on standard error: a sign of life. */
  onStderr?: () => void;
}

/** git ended with an error; `stderr` is the end of what it said, for failure.ts to read and for nobody to see. */
export class GitFailed extends Error {
  override readonly name = "GitFailed";
  readonly stderr: string;
  constructor(argv: readonly string[], outcome: string, stderr: string) {
    super(`git ${argv[0]} ended with ${outcome}`);
    this.stderr = stderr;
  }
}

/** This is enough for an answer of a few lines, and for the message at the end of a long progress report. */
const OUTPUT_BYTES_MAX = 64 * 1024;

/**
 * Runs git in a process group of its own and returns what it wrote to standard output (the last 64 KiB).
 * @throws GitFailed; SvcError when there is no git; the signal's reason when aborted. No process of the group lives on in either case.
 */
export async function runGit(command: GitCommand): Promise<string> {
  command.signal.throwIfAborted();
  const child = spawn("git", command.argv, {
    cwd: command.cwd,
    env: command.env,
    // A group of its own: git's helpers for https die with it.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killGroup = (): void => {
    if (child.pid !== undefined) kill(child.pid);
  };
  command.signal.addEventListener("abort", killGroup, { once: true });
  const stdout = new Tail();
  const stderr = new Tail();
  // Where there is no room for its pipes there is an error instead of them.
  child.stdout?.on("data", (chunk: Buffer) => (command.onStdout ? command.onStdout(chunk) : stdout.add(chunk)));
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr.add(chunk);
    command.onStderr?.();
  });
  try {
    const [code, killedBy] = await ending(child);
    command.signal.throwIfAborted();
    if (code !== 0) throw new GitFailed(command.argv, killedBy ?? `status ${code}`, stderr.text());
    return stdout.text();
  } finally {
    command.signal.removeEventListener("abort", killGroup);
    killGroup();
  }
}

async function ending(child: ChildProcess): Promise<[code: number | null, killedBy: string | null]> {
  try {
    return (await once(child, "close")) as [number | null, string | null];
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const advice =
      code === "ENOENT"
        ? "Whoever runs this service must install git 2.37 or newer there."
        : `The reason is ${code}: try again, and have its limits of processes and open files looked at.`;
    throw new SvcError("repository_unreachable", `git cannot be started on the server. ${advice}`, { cause: error });
  }
}

function kill(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}

class Tail {
  #bytes = Buffer.alloc(0);
  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-OUTPUT_BYTES_MAX);
  }
  text(): string {
    return this.#bytes.toString("utf8");
  }
}
