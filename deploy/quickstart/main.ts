/** `npm run quickstart`, once Node.js 24, the dependencies and the host's programs are there (bootstrap.mjs). */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { CliError } from "svc-cli/output/cli-error.ts";
import { EnvError } from "@svc/shared/platform/env.ts";
import { reportFailure, SetupError } from "../setup/terminal.mjs";
import { closingWords } from "./closing-words.ts";
import { isTakenOver, requireClaim, TakenOver, tryToClaimDaemons } from "./daemons/claim.ts";
import { findDaemons, stopDaemons } from "./daemons/daemons.ts";
import { showLogs } from "./logs/foreground.ts";
import { readInstallation, type Installation } from "./installation.ts";
import { readMemory } from "./memory.ts";
import { done, say } from "./progress.ts";
import { reset } from "./reset/reset.ts";
import type { Process } from "./daemons/processes.ts";
import { bringUp, type OwnDaemons } from "./up.ts";

const flag = { type: "boolean", default: false } as const;
const { values: mode } = parseArgs({
  options: { once: flag, detach: flag, down: flag, "show-key": flag, reset: flag, yes: flag },
});

// The reader may leave early (`| head`); the work goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interruption.abort());

try {
  await main(readInstallation(process.env));
} catch (error) {
  reportFailure(forPeople(error));
}
process.exit();

async function main(installation: Installation): Promise<void> {
  if (mode.reset) return reset(installation, mode);
  if (mode["show-key"]) return showKey(installation);
  if (mode.down) {
    if (existsSync(installation.directory)) tryToClaimDaemons(installation);
    if (!(await stop(findDaemons(installation)))) say("No daemon was running.");
    return;
  }
  const daemons: OwnDaemons = new Map();
  let leaveRunning = false;
  try {
    const running = await Promise.race([bringUp(installation, daemons, interruption.signal), interrupted()]);
    if (running === undefined) return;
    requireClaim(installation);
    closingWords(installation, running, mode.once ? "once" : mode.detach ? "detached" : "foreground");
    if (mode.detach) {
      leaveRunning = true;
      return say("The daemons go on in the background.");
    }
    if (!mode.once) await showLogs(installation, daemons, interruption.signal);
  } catch (error) {
    // A failure because another command has stopped the daemons is not theirs.
    throw daemons.size > 0 && isTakenOver(installation) ? new TakenOver() : error;
  } finally {
    // Its own alone: another command may have started others meanwhile.
    if (!leaveRunning) await stop(daemons.values());
  }
}

/** Alone on its line, for `$(…)` of a shell. */
function showKey(installation: Installation): void {
  const { apiKey } = readMemory(installation);
  if (apiKey !== undefined) return say(apiKey);
  throw new SetupError(
    "There is no API key to show.",
    `No quickstart has made one in ${installation.directory}.`,
    "Run `npm run quickstart` first; of an installation of your own, `npm run admin -- key create` makes one.",
  );
}

/** @returns whether there was something to stop */
async function stop(daemons: Iterable<Process>): Promise<boolean> {
  const stopped = (await stopDaemons(daemons)) > 0;
  if (stopped) done("Stopped the daemons. The apps go on running");
  return stopped;
}

function forPeople(error: unknown): unknown {
  if (error instanceof CliError)
    return new SetupError("The control plane refused a call.", error.message, "See the control plane's log.");
  if (!(error instanceof EnvError)) return error;
  return new SetupError(
    "The quickstart cannot start.",
    error.message,
    "Correct the variable, or unset it for its default.",
  );
}

/** Resolves when the person at the terminal has had enough before everything was up. */
function interrupted(): Promise<undefined> {
  return new Promise((resolve) => interruption.signal.addEventListener("abort", () => resolve(undefined)));
}
