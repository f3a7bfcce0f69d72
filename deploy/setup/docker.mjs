import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { areKnown, installPackages } from "./apt.mjs";
import { probeEngine } from "./engine.mjs";
import { findProgram, lastLines, run } from "./run.mjs";
import { hasSystemd } from "./systemd.mjs";
import { say, SetupError } from "./terminal.mjs";

/** A cold engine reads its containers and its whole build cache before it answers: 65 s were measured with 6,800 records. */
const START_TIMEOUT_MS = 300_000;

/** An engine that its package's start script has started answers within that time, or not at all. */
const PACKAGE_START_TIMEOUT_MS = 10_000;

const POLL_MS = 200;

/**
 * Makes sure that a Docker Engine answers: the one that does is used as it is, else Debian's is installed when there is
 * none, and started.
 *
 * @throws {SetupError}
 */
export async function ensureDocker() {
  const probe = await probeEngine();
  if (probe.answers) return say(`Docker Engine ${probe.version} answers.`);

  if (process.env.DOCKER_HOST) {
    throw new SetupError(
      `No Docker Engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}.`,
      probe.reason,
      "Start that engine, or unset DOCKER_HOST to use (or install) the one of this machine.",
    );
  }
  requireAccess(probe.code);

  const installed = findProgram("dockerd") !== undefined;
  if (!installed) await installEngine();
  if (hasSystemd()) {
    say("Starting the Docker Engine as a systemd service (systemctl enable --now docker) …");
    await run("systemctl", ["enable", "--now", "docker"]);
  } else if (installed || !(await answersWithin(PACKAGE_START_TIMEOUT_MS, isEngineRunning))) {
    startEngine();
  }
  if (!(await answersWithin(START_TIMEOUT_MS, isEngineRunning))) throw engineDidNotStart();
  say("The Docker Engine answers.");
}

/** @throws {SetupError} when the engine is there, but not for this user */
export async function requireDockerAccess() {
  const probe = await probeEngine();
  if (!probe.answers) requireAccess(probe.code);
}

/** @param {string} code of the failed connection */
function requireAccess(code) {
  if (code !== "EACCES") return;
  throw new SetupError(
    "The Docker Engine may not be used by this user.",
    "Its socket belongs to root and the group docker.",
    "Run the command through sudo, or add yourself to the group (`sudo usermod -aG docker $USER`) and log in again.",
  );
}

async function installEngine() {
  writeSettings();
  // Newer releases ship the client as a package of its own; the engine is driven without it, people want it.
  const client = (await areKnown(["docker-cli"])) ? ["docker-cli"] : [];
  await installPackages(["docker.io", "iptables", ...client], "the Docker Engine, which runs the apps");
}

const SETTINGS = "/etc/docker/daemon.json";

/**
 * Containers go on while the engine is restarted or upgraded, so that this costs no request. And builds leave layers and
 * package caches that the engine keeps for ever unless it is told otherwise: 20 GB serve a few dozen apps.
 */
const OUR_SETTINGS = { "live-restore": true, builder: { gc: { enabled: true, defaultKeepStorage: "20GB" } } };

/** Is for the engine that is about to be installed. */
function writeSettings() {
  const settings = withOurSettings(existsSync(SETTINGS) ? readFileSync(SETTINGS, "utf8") : "{}");
  if (settings === undefined) return;
  mkdirSync(dirname(SETTINGS), { recursive: true });
  writeFileSync(SETTINGS, settings);
  say(`Containers go on while the engine restarts, and its build cache is kept to 20 GB (${SETTINGS}).`);
}

/**
 * @param {string} text of daemon.json; what is set there already is its owner's
 * @returns {string | undefined} undefined when nothing is to be added
 * @throws {SetupError}
 */
export function withOurSettings(text) {
  const own = parseSettings(text);
  const settings = { ...OUR_SETTINGS, ...own };
  if (Object.keys(OUR_SETTINGS).every((name) => name in own)) return undefined;
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/**
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function parseSettings(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SetupError(
      `The Docker Engine can't be set up: ${SETTINGS} is no JSON.`,
      error instanceof Error ? error.message : String(error),
      "Repair or remove that file, then run the command again.",
    );
  }
}

/** Whether there is a dockerd, be it one that has just been started. */
function isEngineRunning() {
  return readdirSync("/proc").some((entry) => /^\d+$/.test(entry) && programOf(entry) === "dockerd");
}

/** @param {string} pid */
function programOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    // It has ended since.
    return undefined;
  }
}

/** Starts dockerd in a session of its own, so that it outlives this program and its terminal. */
function startEngine() {
  const log = engineLog();
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const args = engineArguments();
  say(`Starting the Docker Engine (dockerd ${args.join(" ")}); it stays when this program ends, its log is ${log} …`);
  const output = openSync(log, "a", 0o600);
  spawn(findProgram("dockerd") ?? "dockerd", args, { detached: true, stdio: ["ignore", output, output], cwd: "/" })
    .once("error", (error) => say(`dockerd could not be started: ${error.message}`))
    .unref();
  closeSync(output);
}

/** Settings that the machine's own daemon.json makes are left to it: dockerd refuses one that is given twice. */
function engineArguments() {
  const own = readOwnSettings();
  const args = "storage-driver" in own ? [] : ["--storage-driver", "overlay2"];
  // Packets of containers larger than the uplink's are lost without a word where a tunnel is in between.
  const mtu = uplinkMtu();
  if (mtu !== undefined && !("mtu" in own)) args.push("--mtu", String(mtu));
  return args;
}

/** @returns {Record<string, unknown>} */
function readOwnSettings() {
  return existsSync(SETTINGS) ? parseSettings(readFileSync(SETTINGS, "utf8")) : {};
}

/** The largest packet of the interface that the default route leaves by, in bytes. */
function uplinkMtu() {
  const device = defaultRouteDevice(readFileSync("/proc/net/route", "utf8"));
  if (device === undefined) return undefined;
  return Number(readFileSync(`/sys/class/net/${device}/mtu`, "utf8"));
}

/** @param {string} table the text of /proc/net/route, whose second column is the destination */
export function defaultRouteDevice(table) {
  const rows = table
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"));
  return rows.find(([, destination]) => destination === "00000000")?.[0];
}

function engineLog() {
  return join(homedir(), ".svc/dockerd.log");
}

/**
 * @param {number} timeoutMs
 * @param {() => boolean} [mayCome] false: there is nothing to wait for
 */
async function answersWithin(timeoutMs, mayCome = () => true) {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline && mayCome()) {
    if ((await probeEngine()).answers) return true;
    await delay(POLL_MS);
  }
  return false;
}

function engineDidNotStart() {
  const log = engineLog();
  const lines = existsSync(log) ? lastLines(readFileSync(log, "utf8"), 15) : "it left no log";
  return new SetupError(
    isEngineRunning()
      ? `The Docker Engine did not answer within ${START_TIMEOUT_MS / 1000} s.`
      : "The Docker Engine ended while it started.",
    hasSystemd() ? "See `journalctl -u docker`." : `The end of its log:\n${lines}`,
    "Make `docker version` show a server on this machine, then run the command again.",
  );
}
