import { readFileSync } from "node:fs";
import { capture, CommandError, findProgram, run } from "./run.mjs";
import { say, SetupError } from "./terminal.mjs";

/** Another apt-get (unattended upgrades run at boot) is waited for instead of failing at once. */
const LOCK_TIMEOUT_SECONDS = 120;

const APT_OPTIONS = ["-y", "-q", "--no-install-recommends", "-o", `DPkg::Lock::Timeout=${LOCK_TIMEOUT_SECONDS}`];

/** Installs without questions; needrestart (Ubuntu) would otherwise ask which services to restart. */
const APT_ENV = { DEBIAN_FRONTEND: "noninteractive", NEEDRESTART_SUSPEND: "1" };

/** @type {Promise<unknown>} */
let lastInstall = Promise.resolve();

/**
 * Installs those of the packages that are missing; says so first. Lists of packages are fetched only when apt does not
 * know a package yet or what it knows is out of date. One call at a time works, the others wait: of two that fetch the
 * lists, apt refuses one.
 *
 * @param {readonly string[]} packages
 * @param {string} purpose what they are for, for the terminal
 * @throws {SetupError}
 */
export function installPackages(packages, purpose) {
  const installed = lastInstall.then(() => installMissing(packages, purpose));
  lastInstall = installed.catch(() => undefined);
  return installed;
}

/**
 * @param {readonly string[]} packages
 * @param {string} purpose
 */
async function installMissing(packages, purpose) {
  /** @type {string[]} */
  const missing = [];
  for (const name of packages) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length === 0) return;

  requireDebian(missing, purpose);
  say(`Installing ${missing.join(", ")} with apt-get (${purpose}) …`);
  let updated = false;
  if (!(await areKnown(missing))) {
    await updateLists();
    updated = true;
  }
  try {
    await run("apt-get", ["install", ...APT_OPTIONS, ...missing], { env: aptEnvironment() });
  } catch (error) {
    if (updated) throw installFailed(missing, error);
    // Lists older than the mirror name versions that are gone.
    await updateLists();
    await run("apt-get", ["install", ...APT_OPTIONS, ...missing], { env: aptEnvironment() }).catch((second) => {
      throw installFailed(missing, second);
    });
  }
}

/** @param {string} name */
async function isInstalled(name) {
  try {
    const status = await capture("dpkg-query", ["-W", "-f=${db:Status-Abbrev}", name]);
    return status.startsWith("ii");
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/**
 * True when apt could install all of them.
 *
 * @param {readonly string[]} packages
 */
export async function areKnown(packages) {
  try {
    await capture("apt-cache", ["show", "--no-all-versions", ...packages]);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

async function updateLists() {
  say("Fetching apt's lists of packages …");
  await run("apt-get", ["update", "-q", "-o", `DPkg::Lock::Timeout=${LOCK_TIMEOUT_SECONDS}`], {
    env: aptEnvironment(),
  }).catch((error) => {
    throw new SetupError(
      "apt's lists of packages could not be fetched.",
      firstLine(error),
      "Read apt-get's message above; check the machine's network, and that `apt-get update` works.",
    );
  });
}

function aptEnvironment() {
  return { ...process.env, ...APT_ENV };
}

/**
 * @param {readonly string[]} packages
 * @param {string} purpose
 */
function requireDebian(packages, purpose) {
  if (findProgram("apt-get") !== undefined && isDebianLike(readRelease())) return;
  throw new SetupError(
    `${packages.join(", ")} cannot be installed by this program (${purpose}).`,
    "It knows only the package manager of Debian and Ubuntu.",
    "Install the same yourself and run the command again; what is there already is used as it is.",
  );
}

/** @param {string} release the text of os-release(5) */
export function isDebianLike(release) {
  const ids = [...release.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].flatMap((match) =>
    (match[1] ?? "").replaceAll('"', "").split(" "),
  );
  return ids.includes("debian") || ids.includes("ubuntu");
}

function readRelease() {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}

/**
 * @param {readonly string[]} packages
 * @param {unknown} error
 */
function installFailed(packages, error) {
  return new SetupError(
    `${packages.join(", ")} could not be installed.`,
    firstLine(error),
    `Read apt-get's message above. \`apt-get install ${packages.join(" ")}\` has to work on this machine; then run the command again.`,
  );
}

/** @param {unknown} error */
function firstLine(error) {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
