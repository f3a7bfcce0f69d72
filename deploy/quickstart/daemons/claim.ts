import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../../setup/terminal.mjs";
import type { Installation } from "../installation.ts";

type Claimed = Pick<Installation, "directory">;

/** Another command has the daemons in hand now; what this one had started is ended already, or soon. */
export class TakenOver extends SetupError {
  constructor() {
    super(
      "Another quickstart command has taken over, and has stopped the daemons of this one.",
      "One installation has one set of daemons.",
      "Go on where that command was given, or run this one again.",
    );
  }
}

/**
 * Makes this process the one that has the installation's daemons in hand, before it touches those of another: the newest
 * command wins, and the one before leaves what the newest has started alone.
 * @throws SetupError when that can't be written
 */
export function claimDaemons({ directory }: Claimed): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(claimFile({ directory }), String(process.pid), { mode: 0o600 });
  } catch (error) {
    const remedy = `See that ${directory} can be written to and that its disk has room.`;
    throw new SetupError("The quickstart cannot start.", (error as Error).message, remedy);
  }
}

/** For whoever only ends things, and must not need room on a disk for it. @returns whether it could be claimed */
export function tryToClaimDaemons(installation: Claimed): boolean {
  try {
    claimDaemons(installation);
    return true;
  } catch {
    return false;
  }
}

/** Also when everything was removed meanwhile. */
export function isTakenOver(installation: Claimed): boolean {
  try {
    return readFileSync(claimFile(installation), "utf8") !== String(process.pid);
  } catch {
    return true;
  }
}

/** @throws TakenOver */
export function requireClaim(installation: Claimed): void {
  if (isTakenOver(installation)) throw new TakenOver();
}

function claimFile({ directory }: Claimed): string {
  return join(directory, "claim");
}
