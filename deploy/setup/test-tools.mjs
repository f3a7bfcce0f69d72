import { installPackages } from "./apt.mjs";
import { findProgram } from "./run.mjs";
import { disableSshService, hasSshServer, makeSshServerFolder, sshServerIsInstalled } from "./ssh.mjs";

/** An ACME authority with a name server that says what a test wants, a browser, and a git host over ssh. */
const TOOLS = [
  { package: "pebble", purpose: "an ACME authority on loopback", isThere: () => hasAny("pebble") },
  // Chromium without windows, and a quarter cheaper. Ubuntu has no package of it, but Google's has the same options.
  {
    package: "chromium-headless-shell",
    purpose: "a browser",
    isThere: () => hasAny("chromium-headless-shell", "chromium", "google-chrome"),
  },
  { package: "openssh-server", purpose: "sshd, to play a git host", isThere: sshServerIsInstalled },
];

export function hasTestTools() {
  return hasSshServer() && TOOLS.every(({ isThere }) => isThere());
}

/**
 * Makes sure that what only the tests need is installed, at once: each call of apt-get reads all its lists. A service of
 * sshd that somebody set up already is left alone.
 *
 * @throws {import("./terminal.mjs").SetupError}
 */
export async function ensureTestTools() {
  const missing = TOOLS.filter(({ isThere }) => !isThere());
  if (missing.length > 0) {
    const hadSshServer = sshServerIsInstalled();
    const purposes = missing.map(({ purpose }) => purpose).join("; ");
    const packages = missing.map((tool) => tool.package);
    try {
      await installPackages(packages, `for the tests: ${purposes}`);
    } finally {
      // Also when another package failed: the next run would take the service for its user's.
      if (!hadSshServer && sshServerIsInstalled()) await disableSshService();
    }
  }
  makeSshServerFolder();
}

/** @param {readonly string[]} programs */
function hasAny(...programs) {
  return programs.some((program) => findProgram(program) !== undefined);
}
