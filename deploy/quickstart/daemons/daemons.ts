import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig as readAgentConfig } from "@svc/agent/config.ts";
import { formatHostPort } from "@svc/shared/platform/env.ts";
import { lastLines } from "../../setup/run.mjs";
import { SetupError } from "../../setup/terminal.mjs";
import { GIT_SERVER_ADDRESS } from "../git/git-server.ts";
import { requireClaim } from "./claim.ts";
import { bundlePath, type Installation } from "../installation.ts";
import { formatLogLine } from "../logs/log-line.ts";
import { endProcesses, isAlive, listProcesses, variableOf, type Process } from "./processes.ts";

/**
 * The processes of a quickstart. Each runs in a session of its own and writes into a file, so that `--detach` is
 * nothing but leaving, and a quickstart that was killed breaks none of them. They are found again by what they run.
 */
export interface Daemon {
  name: "control-plane" | "agent" | "git-server";
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** The daemons finish what they can within 30 s; then they have hung. */
const STOP_MS_MAX = 35_000;

/** Characters shown of the log of a daemon that ended by itself; a stack fits. */
const LOG_CHARACTERS_SHOWN = 8192;

/**
 * The CA file of the samples' git server, with the certificates that the user names.
 * @throws SetupError when that can't be read
 */
function outboundCaFile(installation: Installation, gitCaFile: string): string {
  const named = process.env.SVC_OUTBOUND_CA_FILE;
  if (!named) return gitCaFile;
  const file = join(installation.directory, "outbound-ca.pem");
  try {
    writeFileSync(file, [named, gitCaFile].map((path) => readFileSync(path, "utf8").trim()).join("\n"), {
      mode: 0o600,
    });
  } catch (error) {
    const remedy = "name a file with certificates in PEM, by its whole path, or unset the variable";
    throw new SetupError("SVC_OUTBOUND_CA_FILE can't be used.", (error as Error).message, remedy);
  }
  return file;
}

/** Lists what the user allows, and the samples' git server, which is on loopback. */
function outboundAllow(): string {
  const named = process.env.SVC_OUTBOUND_ALLOW;
  return [...(named ? [named] : []), `${GIT_SERVER_ADDRESS}/32`].join(",");
}

export function controlPlaneDaemon(installation: Installation, gitCaFile: string): Daemon {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    SVC_DATA_DIR: installation.controlPlaneDirectory,
    SVC_APPS_HTTPS_PORT: process.env.SVC_APPS_HTTPS_PORT ?? String(installation.httpsPort),
    SVC_OUTBOUND_CA_FILE: outboundCaFile(installation, gitCaFile),
    SVC_OUTBOUND_ALLOW: outboundAllow(),
  };
  const agentOnly = variablesOfAgent(Object.keys(env));
  for (const name of agentOnly) if (!OF_BOTH.includes(name)) delete env[name];
  return { name: "control-plane", args: [bundlePath("control-plane")], env };
}

export function agentDaemon(installation: Installation, joinToken: string | undefined): Daemon {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    SVC_DATA_DIR: installation.agentDirectory,
    SVC_CONTROL_PLANE: process.env.SVC_CONTROL_PLANE ?? `https://${formatHostPort(installation.agentsListen)}`,
    SVC_JOIN_TOKEN: joinToken,
  };
  const known = variablesOfAgent(Object.keys(env));
  for (const name of Object.keys(env)) {
    if (name.startsWith("SVC_") && !known.includes(name)) delete env[name];
  }
  return { name: "agent", args: [bundlePath("agent")], env };
}

const OF_BOTH: readonly string[] = ["SVC_DATA_DIR"];

/**
 * Selects the variables that the agent reads. Each daemon warns about variables that it does not know (operating
 * contract), so each gets its own; the agent itself says which ones it knows, asked without their values.
 */
function variablesOfAgent(names: readonly string[]): string[] {
  const ours = names.filter((name) => name.startsWith("SVC_"));
  const { unknownVariables } = readAgentConfig(Object.fromEntries(ours.map((name) => [name, ""])));
  return ours.filter((name) => !unknownVariables.includes(name));
}

export function gitServerDaemon(installation: Installation): Daemon {
  return {
    name: "git-server",
    args: [gitServerProgram, installation.directory],
    env: { ...process.env, SVC_DATA_DIR: installation.directory },
  };
}

const gitServerProgram = fileURLToPath(new URL("../git/git-server-main.ts", import.meta.url));

/** Starts it; what it logs is found by `logFile`, the log of the run before beside it. @throws SetupError */
export function startDaemon(installation: Installation, daemon: Daemon): Process {
  const log = logFile(installation, daemon.name);
  mkdirSync(join(installation.directory, "logs"), { recursive: true, mode: 0o700 });
  if (existsSync(log)) renameSync(log, `${log}.1`);
  const output = openSync(log, "a", 0o600);
  const child = spawn(process.execPath, daemon.args, {
    detached: true,
    cwd: "/",
    env: daemon.env,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  child.unref();
  if (child.pid === undefined)
    throw new SetupError(
      `The ${daemon.name} could not be started.`,
      "The system could not start another process.",
      "See whether the machine has memory left.",
    );
  return { pid: child.pid, argv: [process.execPath, ...daemon.args] };
}

/** Returns the daemons that run, whoever started them. */
export function findDaemons(installation: Installation): Process[] {
  const programs = new Map([
    [bundlePath("control-plane"), installation.controlPlaneDirectory],
    [bundlePath("agent"), installation.agentDirectory],
    [gitServerProgram, installation.directory],
  ]);
  return listProcesses().filter(({ pid, argv }) => {
    const directory = argv.map((argument) => programs.get(argument)).find((found) => found !== undefined);
    return directory !== undefined && variableOf(pid, "SVC_DATA_DIR") === directory;
  });
}

/** @returns how many of them were running */
export async function stopDaemons(daemons: Iterable<Process>): Promise<number> {
  const running = [...daemons].filter(isAlive);
  await endProcesses(running, STOP_MS_MAX);
  return running.length;
}

export function logFile(installation: Installation, name: Daemon["name"]): string {
  return join(installation.directory, "logs", `${name}.log`);
}

/** @throws TakenOver, SetupError with the end of its log when it has ended by itself */
export function requireAlive(installation: Installation, name: Daemon["name"], daemon: Process): void {
  if (isAlive(daemon)) return;
  requireClaim(installation);
  const log = logFile(installation, name);
  const lines = lastLines(readFileSync(log, "utf8").slice(-LOG_CHARACTERS_SHOWN), 10).split("\n");
  throw new SetupError(
    `The ${name} has ended.`,
    ["The end of its log:", ...lines.map((line) => formatLogLine(name, line))].join("\n"),
    `Remove the cause and run the command again. All of its log: ${log}`,
  );
}
