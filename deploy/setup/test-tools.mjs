import { installPackages } from "./apt.mjs";
import { findProgram } from "./run.mjs";

/** An ACME authority with a name server that says what a test wants, and a browser. */
const TOOLS = [
  {
    programs: ["pebble", "pebble-challtestsrv"],
    name: "pebble",
    purpose: "an ACME authority on loopback, for the tests",
  },
  { programs: ["chromium"], name: "chromium", purpose: "the browser of the tests" },
];

export function hasTestTools() {
  return TOOLS.every(isThere);
}

/**
 * Makes sure that what only the tests need is installed.
 *
 * @throws {import("./terminal.mjs").SetupError}
 */
export async function ensureTestTools() {
  for (const tool of TOOLS) if (!isThere(tool)) await installPackages([tool.name], tool.purpose);
}

/** @param {{ programs: readonly string[] }} tool */
function isThere({ programs }) {
  return programs.every((program) => findProgram(program) !== undefined);
}
