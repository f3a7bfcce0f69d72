import { spawn } from "node:child_process";
import { findProgram } from "./run.mjs";
import { say, SetupError } from "./terminal.mjs";

/**
 * Variables that the re-executed program still needs: our own variables, the engine's, where npm's configuration is,
 * and where proxies and certificate authorities are.
 */
const KEPT = [
  /^(SVC_|DOCKER_|SSL_CERT_)/,
  /^(DATABASE_URL|NODE_EXTRA_CA_CERTS|INIT_CWD|TERM)$/,
  /^npm_config_(userconfig|globalconfig|registry|cafile)$/i,
  /^(http|https|no|all)_proxy$/i,
];

export function isRoot() {
  return process.getuid?.() === 0;
}

/**
 * Runs this program again as root through sudo.
 *
 * @param {string} reason what root is needed for, for the terminal
 * @param {readonly string[]} argv the script and its arguments
 * @returns {Promise<number>} its exit status
 * @throws {SetupError} where there is no sudo
 */
export function runAsRoot(reason, argv) {
  const sudo = findProgram("sudo");
  if (sudo === undefined) {
    throw new SetupError(
      `Root is needed: ${reason}.`,
      "You are not root, and there is no sudo on this machine.",
      "Run the same command as root.",
    );
  }
  const kept = Object.keys(process.env).filter((name) => KEPT.some((pattern) => pattern.test(name)));
  say(`Root is needed (${reason}): going on through sudo${kept.length === 0 ? "" : `, keeping ${kept.join(", ")}`}.`);
  // sudo sets a PATH of its own; `env` puts back the one that finds our Node.js.
  const preserve = kept.length === 0 ? [] : [`--preserve-env=${kept.join(",")}`];
  const args = [...preserve, "--", "/usr/bin/env", `PATH=${process.env.PATH ?? ""}`, process.execPath, ...argv];
  const child = spawn(sudo, args, { stdio: "inherit" });
  // The terminal sends Ctrl-C to the child as well, which ends in its own order.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
