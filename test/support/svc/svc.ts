import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { SVC } from "../platform/bundles.ts";

export interface SvcOutcome {
  status: number | null;
  stdout: string;
  stderr: string;
  /** The events on standard output, with --json: an object a line. */
  events: Record<string, unknown>[];
}

export interface SvcOptions {
  env?: Record<string, string>;
  stdin?: string;
  /** The tool is ended when it goes on for so long. */
  timeoutMs?: number;
  /** Is called with the process while it runs. */
  onStart?(child: ChildProcess): void;
}

/** A user with a home of their own, and a folder to work in. */
export interface SvcUser {
  home: string;
  folder: string;
  /** Runs the tool in the folder, as a process of its own, and waits for its end. */
  svc(argv: readonly string[], options?: SvcOptions): Promise<SvcOutcome>;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  remove(): Promise<void>;
}

/** @param env of every run, such as SVC_URL and SVC_API_KEY */
export async function makeSvcUser(env: Record<string, string> = {}): Promise<SvcUser> {
  const own = await mkdtemp(join(tmpdir(), "svc-user-"));
  const [home, folder] = [join(own, "home"), join(own, "shop")];
  await Promise.all([home, folder].map((path) => mkdir(path)));
  return {
    home,
    folder,
    svc: (argv, options = {}) => runSvc(argv, folder, { HOME: home, ...env, ...options.env }, options),
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
    },
    remove: () => rm(own, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function runSvc(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
  { stdin = "", timeoutMs, onStart }: SvcOptions,
): Promise<SvcOutcome> {
  const child = spawn(process.execPath, [SVC, ...argv], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...env },
    stdio: "pipe",
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  });
  onStart?.(child);
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [status, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr, events: argv.includes("--json") ? stdout.split("\n").flatMap(parseLine) : [] };
}

function parseLine(line: string): Record<string, unknown>[] {
  return line === "" ? [] : [JSON.parse(line) as Record<string, unknown>];
}
