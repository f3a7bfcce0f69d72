/**
 * Brings a fresh machine to where the commands work:
 *
 *   node deploy/setup/prepare.mjs [--for test|quickstart|check|agent]
 *
 * Runs under Node.js 20 without any dependency. Each part finds what is there and does only what is missing.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureBaseImages, essentialNames, missingBaseImages, testNames } from "../base-images/build.mjs";
import { atOnce } from "./at-once.mjs";
import { isRoot, runAsRoot } from "./become-root.mjs";
import { ensureCaddy } from "./caddy.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { ensureDocker, requireDockerAccess } from "./docker.mjs";
import { probeEngine } from "./engine.mjs";
import { ensureGit } from "./git.mjs";
import { ensureIp, hasIp } from "./ip.mjs";
import { findProgram } from "./run.mjs";
import { ensureSshClient, hasSshClient } from "./ssh.mjs";
import { ensureTestTools, hasTestTools } from "./test-tools.mjs";
import { reportFailure, SetupError } from "./terminal.mjs";

const PURPOSES = /** @type {const} */ (["test", "quickstart", "check", "agent"]);

/**
 * @param {typeof PURPOSES[number]} purpose `check` needs the npm dependencies only; `agent` all but those, and is for root
 * @throws {SetupError}
 */
async function prepare(purpose) {
  requireLinux();
  // A host whose agent is installed as a bundle has all of npm's in it.
  if (purpose === "agent") return prepareHost(purpose);
  if (purpose !== "check" && isRoot()) return atOnce([ensureDependencies, (stop) => prepareHost(purpose, stop)]);
  await ensureDependencies();
  if (purpose === "check") return;
  if (await hostIsReady(purpose)) return;
  const script = fileURLToPath(import.meta.url);
  const status = await runAsRoot("to install and start what is missing on this machine", [script, "--for", purpose]);
  if (status !== 0)
    throw new SetupError(
      "This machine could not be set up.",
      "See above.",
      "Remove the cause and run the command again.",
    );
  await requireDockerAccess();
}

/**
 * Docker Engine, Caddy, ssh, what the tests need, and the base images. Needs root.
 *
 * @param {typeof PURPOSES[number]} purpose
 * @param {AbortSignal} [stop] ends it between two steps
 */
export async function prepareHost(purpose, stop) {
  await ensureDocker();
  stop?.throwIfAborted();
  /** @param {AbortSignal} stopped */
  const programs = (stopped) => ensurePrograms(purpose, stopped);
  /** @param {AbortSignal} stopped */
  const images = (stopped) => ensureBaseImages(baseImagesFor(purpose), stopped);
  await atOnce(process.env.SVC_BASE_IMAGES === undefined ? [programs, images] : [programs], stop);
}

/**
 * @param {typeof PURPOSES[number]} purpose
 * @param {AbortSignal} stop
 */
async function ensurePrograms(purpose, stop) {
  const forTests = purpose === "test" ? [ensureTestTools] : [];
  for (const ensure of [ensureGit, ensureCaddy, ensureSshClient, ensureIp, ...forTests]) {
    stop.throwIfAborted();
    await ensure();
  }
}

/** @param {typeof PURPOSES[number]} purpose */
async function hostIsReady(purpose) {
  if (!(await probeEngine()).answers || findProgram("caddy") === undefined) return false;
  if (!hasSshClient() || !hasIp()) return false;
  if (purpose === "test" && !hasTestTools()) return false;
  return (await missingBaseImages(baseImagesFor(purpose))).length === 0;
}

/** @param {typeof PURPOSES[number]} purpose */
function baseImagesFor(purpose) {
  return purpose === "test" ? testNames : essentialNames;
}

function requireLinux() {
  if (process.platform === "linux") return;
  throw new SetupError(
    "This machine cannot be set up.",
    `It runs ${process.platform}; the service drives Linux containers on Linux.`,
    "Use a Linux machine, or a virtual one.",
  );
}

/** @param {string | undefined} value */
function parsePurpose(value) {
  const purpose = PURPOSES.find((known) => known === (value ?? "test"));
  if (purpose !== undefined) return purpose;
  throw new SetupError(`--for ${value} is not known.`, `Allowed are ${PURPOSES.join(", ")}.`, "Correct it.");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { values } = parseArgs({ options: { for: { type: "string" } } });
    await prepare(parsePurpose(values.for));
  } catch (error) {
    reportFailure(error);
  }
}
