import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { isErrno } from "../../platform/durable-file.ts";
import type { CaddyAdmin } from "./caddy-admin.ts";
import { commandAs, type Account } from "./proxy-account.ts";
import { startProcess } from "../start-process.ts";

/** Caddy needs under a second; a loaded host may take some. */
const START_MS_MAX = 15_000;
/** Caddy gives open requests its grace period of 10 s. */
export const STOP_MS_MAX = 15_000;
const POLL_MS = 50;

export interface CaddyProgram {
  /** Name or path of the program. */
  binary: string;
  /** Its user; the agent's own without. */
  account: Account | undefined;
  /** Where it runs. */
  directory: string;
  /** Its configuration, and where it keeps what it stores: paths as it knows them. */
  configFile: string;
  stateDirectory: string;
  admin: CaddyAdmin;
  /** Called when it has ended after it was ready. */
  onExit: () => void;
}

/** Starts Caddy. @throws SvcError proxy_unavailable */
export async function startCaddy(program: CaddyProgram): Promise<void> {
  const { binary, account, directory, configFile, stateDirectory, admin, onExit } = program;
  const logFile = join(directory, "startup.log");
  try {
    await startProcess({
      argv: commandAs(account, [binary, "run", "--config", configFile]),
      directory,
      env: {
        PATH: process.env["PATH"],
        HOME: stateDirectory,
        XDG_DATA_HOME: stateDirectory,
        XDG_CONFIG_HOME: stateDirectory,
      },
      logFile,
      logFlag: "w",
      startMsMax: START_MS_MAX,
      isReady: () => answers(admin),
      onExit,
    });
  } catch (cause) {
    const reason = lastError(await readFile(logFile, "utf8").catch(() => ""));
    throw new SvcError("proxy_unavailable", `Caddy ${(cause as Error).message}: ${reason}`, { cause });
  }
}

/** Ends the Caddy that runs, if one does, and waits until it is gone. */
export async function stopCaddy(admin: CaddyAdmin): Promise<void> {
  await admin.stop().catch(() => {});
  const deadline = Date.now() + STOP_MS_MAX;
  while (Date.now() < deadline && (await answers(admin))) await systemClock.sleep(POLL_MS);
}

/** Such as 2.6.2. @throws SvcError proxy_unavailable when it isn't installed or does not run */
export async function installedVersion(binary: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(binary, ["version"], { timeout: 10_000 });
    return /[0-9]+\.[0-9]+(?:\.[0-9]+)?/.exec(stdout)?.[0] ?? "0.0";
  } catch (cause) {
    const reason = isErrno(cause, "ENOENT")
      ? "is not installed"
      : `does not run: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new SvcError("proxy_unavailable", `Caddy ${reason}. Install it, on Debian with "apt-get install caddy".`, {
      cause,
    });
  }
}

function answers(admin: CaddyAdmin): Promise<boolean> {
  return admin.config().then(
    () => true,
    () => false,
  );
}

/** The last thing that Caddy complained about while it started. */
function lastError(log: string): string {
  const line = log.trim().split("\n").at(-1) ?? "";
  return line === "" ? "it left no message." : line.slice(0, 500);
}
