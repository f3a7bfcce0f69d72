import { installPackages } from "./apt.mjs";
import { findProgram, run } from "./run.mjs";
import { hasSystemd } from "./systemd.mjs";
import { say } from "./terminal.mjs";

/**
 * Makes sure that Caddy is installed; the agent starts it with a configuration of its own. A service that somebody set
 * up already is left alone.
 *
 * @throws {import("./terminal.mjs").SetupError}
 */
export async function ensureCaddy() {
  const program = findProgram("caddy");
  if (program !== undefined) return say(`Caddy is installed (${program}).`);
  await installPackages(["caddy"], "the proxy, which serves the apps over HTTPS");
  if (!hasSystemd()) return;
  say(
    "Disabling the service that came with the package and took port 80 (systemctl disable --now caddy): the agent starts Caddy itself.",
  );
  await run("systemctl", ["disable", "--now", "caddy"]);
}
