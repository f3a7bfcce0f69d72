import { installPackages } from "./apt.mjs";
import { findProgram } from "./run.mjs";

/** An ACME authority with a name server that says what a test wants, and a browser. */
const TOOLS = [
  { anyOf: ["pebble"], name: "pebble", purpose: "an ACME authority on loopback, for the tests" },
  // Ubuntu has no package of Chromium, but Google's has the same options.
  { anyOf: ["chromium", "google-chrome"], name: "chromium", purpose: "the browser of the tests" },
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

/** @param {{ anyOf: readonly string[] }} tool */
function isThere({ anyOf }) {
  return anyOf.some((program) => findProgram(program) !== undefined);
}
