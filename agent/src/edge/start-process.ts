import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { preferServing } from "./prefer-serving.ts";

const POLL_MS = 20;

export interface ServingProgram {
  argv: readonly [command: string, ...further: string[]];
  /** Where it runs. */
  directory: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** `w` for the log of this start alone. */
  logFlag: "w" | "a";
  startMsMax: number;
  isReady(pid: number): Promise<boolean>;
  /** Called when it has ended after it was ready. */
  onExit(): void;
}

/**
 * Starts a program in a session of its own, so that it serves on when the agent ends, and waits until it is ready.
 * @returns its process id
 * @throws Error "ended at its start" or "did not start in time"
 */
export async function startProcess(program: ServingProgram): Promise<number> {
  const { argv, directory, env, logFile, logFlag, startMsMax, isReady, onExit } = program;
  const output = await open(logFile, logFlag, 0o600);
  const [command, ...further] = argv;
  const child = spawn(command, further, {
    detached: true,
    cwd: directory,
    env,
    stdio: ["ignore", output.fd, output.fd],
  });
  let ended = false;
  let ready = false;
  child.on("error", () => (ended = true));
  child.on("exit", () => {
    ended = true;
    if (ready) onExit();
  });
  child.unref();
  await output.close();
  const deadline = Date.now() + startMsMax;
  while (!ended && Date.now() < deadline) {
    if (child.pid !== undefined && (await isReady(child.pid))) {
      ready = true;
      preferServing(child.pid);
      return child.pid;
    }
    await systemClock.sleep(POLL_MS);
  }
  if (!ended) child.kill("SIGKILL");
  throw new Error(ended ? "ended at its start" : "did not start in time");
}
