import { setTimeout as delay } from "node:timers/promises";
import { SetupError } from "../../setup/terminal.mjs";
import { logFile, requireAlive, type Daemon } from "./daemons.ts";
import type { Installation } from "../installation.ts";
import type { Process } from "./processes.ts";
import { step } from "../progress.ts";

const POLL_MS = 100;

/** The first start makes a database; a crash's recovery may take a minute and a half. */
const READY_MS_MAX = 120_000;

/** A cause that may need a hand is told before the time is up. */
const SAY_WHY_AFTER_MS = 10_000;

/** @throws SetupError when it ends, or is not ready in time */
export async function waitUntilReady(
  installation: Installation,
  name: Daemon["name"],
  daemon: Process,
  url: string,
): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX;
  const sayWhyAt = Date.now() + SAY_WHY_AFTER_MS;
  let last = "it did not answer";
  let said = "";
  while (Date.now() < deadline) {
    requireAlive(installation, name, daemon);
    try {
      const res = await fetch(url, { signal: AbortSignal.timeout(5000) });
      last = `${res.status} ${(await res.text()).slice(0, 500)}`;
      if (res.ok) return;
    } catch (error) {
      last = error instanceof Error ? String(error.cause ?? error.message) : String(error);
    }
    if (Date.now() > sayWhyAt && last !== said) {
      step(`Still waiting: ${last.trim()}`);
      said = last;
    }
    await delay(POLL_MS);
  }
  throw new SetupError(
    `The ${name} was not ready within ${READY_MS_MAX / 1000} s.`,
    `${url} says: ${last}`,
    `See its log: ${logFile(installation, name)}`,
  );
}
