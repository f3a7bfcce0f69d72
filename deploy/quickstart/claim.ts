import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../setup/terminal.mjs";
import type { Installation } from "./installation.ts";

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
 */
export function claimDaemons({ directory }: Claimed): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(claimFile({ directory }), String(process.pid), { mode: 0o600 });
}

/** Also when everything was removed meanwhile. */
export function isTakenOver(installation: Claimed): boolean {
  const file = claimFile(installation);
  return !existsSync(file) || readFileSync(file, "utf8") !== String(process.pid);
}

function claimFile({ directory }: Claimed): string {
  return join(directory, "claim");
}
