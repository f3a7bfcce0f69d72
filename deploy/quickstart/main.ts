/** `npm run quickstart`, once Node.js 24, the dependencies and the host's programs are there (bootstrap.mjs). */
import { parseArgs } from "node:util";
import { EnvError } from "@svc/shared/env.ts";
import { reportFailure } from "../setup/terminal.mjs";
import { closingWords } from "./closing-words.ts";
import { stopDaemons } from "./daemons.ts";
import { showLogs } from "./foreground.ts";
import { readInstallation, type Installation } from "./installation.ts";
import { done, say } from "./progress.ts";
import { reset } from "./reset.ts";
import { bringUp } from "./up.ts";

const flag = { type: "boolean", default: false } as const;
const { values: mode } = parseArgs({ options: { once: flag, detach: flag, down: flag, reset: flag, yes: flag } });

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interruption.abort());

try {
  await main(readInstallation(process.env));
} catch (error) {
  reportFailure(error instanceof EnvError ? new Error(error.message) : error);
}
process.exit();

async function main(installation: Installation): Promise<void> {
  if (mode.reset) return reset(installation, mode);
  if (mode.down) return down(installation);
  let leaveRunning = false;
  try {
    const running = await Promise.race([bringUp(installation, interruption.signal), interrupted()]);
    if (running === undefined) return;
    closingWords(installation, running, !mode.once);
    if (mode.detach) {
      leaveRunning = true;
      return say("The daemons go on in the background.");
    }
    if (!mode.once) await showLogs(installation, running, interruption.signal);
  } finally {
    if (!leaveRunning) {
      await stopDaemons(installation);
      done("Stopped the daemons. The apps go on running");
    }
  }
}

async function down(installation: Installation): Promise<void> {
  const stopped = await stopDaemons(installation);
  if (stopped === 0) say("No daemon was running.");
  else done("Stopped the daemons. The apps go on running");
}

/** Resolves when the person at the terminal has had enough before everything was up. */
function interrupted(): Promise<undefined> {
  return new Promise((resolve) => interruption.signal.addEventListener("abort", () => resolve(undefined)));
}
