import { installPackages } from "./apt.mjs";
import { findProgram } from "./run.mjs";

export function hasIp() {
  return findProgram("ip") !== undefined;
}

/**
 * Makes sure that `ip` is there: the agent keeps apps apart with it.
 *
 * @throws {import("./terminal.mjs").SetupError}
 */
export async function ensureIp() {
  if (!hasIp()) await installPackages(["iproute2"], "ip, which keeps apps apart");
}
