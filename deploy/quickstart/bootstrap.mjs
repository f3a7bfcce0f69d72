/**
 * `npm run quickstart [-- --once | --detach | --down | --show-key | --reset [--yes]]`, on a machine that has nothing but Node.js 20:
 * brings it to where Node.js 24 and the dependencies are there, then hands over to main.ts.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureBundles } from "../bundle/build.mjs";
import { atOnce } from "../setup/at-once.mjs";
import { isRoot, runAsRoot } from "../setup/become-root.mjs";
import { ensureDependencies, nodeProgram } from "../setup/dependencies.mjs";
import { prepareHost } from "../setup/prepare.mjs";
import { reportFailure, SetupError } from "../setup/terminal.mjs";

/** Stands in the order of the help; at most one is given. */
const MODES = /** @type {const} */ (["once", "detach", "down", "show-key", "reset"]);

function readMode() {
  const flag = /** @type {const} */ ({ type: "boolean" });
  const options = { once: flag, detach: flag, down: flag, "show-key": flag, reset: flag, yes: flag };
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw wrongUse(error instanceof Error ? error.message : String(error));
  }
  const given = MODES.filter((mode) => values[mode]);
  if (given.length > 1) throw wrongUse(`--${given.join(" and --")} exclude each other.`);
  if (values.yes && !values.reset) throw wrongUse("--yes answers the question of --reset; there is none without it.");
  return given[0];
}

/** @param {string} why */
function wrongUse(why) {
  return new SetupError(
    "The options of the quickstart are wrong.",
    why,
    "Use `npm run quickstart`, or after `--` one of --once (deploy, check, end), --detach (leave the daemons running), --down (stop them), --show-key (print the API key), --reset (remove everything; --yes skips the question).",
  );
}

/** Hands over; the terminal's Ctrl-C reaches main.ts by itself, a SIGTERM has to be passed on. */
function runMain() {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(nodeProgram, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

try {
  const mode = readMode();
  const starts = mode === undefined || mode === "once" || mode === "detach";
  if (starts && isRoot()) await atOnce([ensureDependencies, (stop) => prepareHost("quickstart", stop)]);
  else await ensureDependencies();
  if (starts) await ensureBundles();
  process.exitCode = isRoot()
    ? await runMain()
    : await runAsRoot("the quickstart drives Docker and the ports 80 and 443", process.argv.slice(1));
} catch (error) {
  reportFailure(error);
}
