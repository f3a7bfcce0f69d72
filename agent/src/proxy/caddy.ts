import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { systemClock } from "@svc/shared/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/logger.ts";
import { isErrno, readIfPresent, writeDurably } from "../durable-file.ts";
import { writeCertificateSettings } from "./certificate-settings.ts";
import { policyIsSet, proxyStateDirectory } from "./certificate-files.ts";
import { createCaddyAdmin, type CaddyAdmin, type Http3State } from "./caddy-admin.ts";
import { caddyConfig, HTTPS_SERVER, type CaddySettings } from "./caddy-config.ts";
import { assertPortFree } from "./free-port.ts";
import { fieldOf } from "./local-http.ts";
import type { NameServerPorts } from "./name-server-files.ts";
import { endOwnProcesses } from "./own-processes.ts";
import { preferServing } from "./prefer-serving.ts";

/** Caddy needs under a second; a loaded host may take some. */
const START_MS_MAX = 15_000;
/** Caddy gives open requests its grace period of 10 s. */
const STOP_MS_MAX = 15_000;
const POLL_MS = 50;
/** Its listener is there when it answers; what serves on it starts in a moment. */
const HTTP3_START_MS_MAX = 5_000;
/** Its grace period, and some more. */
const HTTP3_END_MS_MAX = 12_000;
const HTTP3_POLL_MS = 10;
/** Bytes of a unix socket's path that Linux takes, without the closing zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

export interface CaddyOptions {
  dataDirectory: string;
  httpPort: number;
  httpsPort: number;
  /** Interface to listen on; "" for all. */
  listenHost: string;
  adminSocket: string;
  /** Name or path of the program. */
  binary: string;
  /** How long an upstream that was looked up is kept. Milliseconds. */
  upstreamCacheMs: number;
  log: Logger;
  /** Called when a Caddy that this process started has ended. */
  onExit: () => void;
}

export interface Caddy {
  admin: CaddyAdmin;
  /** Of the one that runs, such as 2.6.2; empty when none was started. */
  version(): Promise<string>;
  /** Known to the proxy and to this agent; a request that carries it is told who answered. */
  probeSecret(): Promise<string>;
  /** Starts Caddy when none answers; loads our configuration when another runs. @throws SvcError proxy_unavailable */
  ensureRunning(nameServer: NameServerPorts): Promise<void>;
  /** Ends Caddy, if it runs, and waits until it is gone. */
  stop(): Promise<void>;
}

export function createCaddy(options: CaddyOptions): Caddy {
  const { dataDirectory, adminSocket, log } = options;
  const admin = createCaddyAdmin(adminSocket);
  const stateDirectory = proxyStateDirectory(dataDirectory);
  const versionFile = join(stateDirectory, "version");
  const configFile = join(stateDirectory, "config.json");
  /** Is there while a Caddy runs that can't serve HTTP/3 any more. */
  const http3LostFile = join(stateDirectory, "http3-lost");

  async function version(): Promise<string> {
    return (await readIfPresent(versionFile))?.trim() ?? "";
  }

  async function probeSecret(): Promise<string> {
    const file = join(dataDirectory, "probe-secret");
    const stored = await readIfPresent(file);
    if (stored?.trim()) return stored.trim();
    const secret = randomBytes(32).toString("hex");
    await writeDurably(file, `${secret}\n`);
    return secret;
  }

  async function settingsFor(nameServer: NameServerPorts, caddyVersion: string): Promise<CaddySettings> {
    return {
      ...options,
      stateDirectory,
      nameServer,
      probeSecret: await probeSecret(),
      certificates: await writeCertificateSettings(dataDirectory),
      // Not before the first policy: Caddy 2.6 may lose HTTP/3 when its configuration changes (see `load`).
      http3: policyIsSet(dataDirectory) && !existsSync(http3LostFile),
      caddyVersion: majorAndMinor(caddyVersion),
    };
  }

  /** One whose socket is gone can't be told anything, and holds the ports: its data directory was deleted. */
  async function endUnreachable(): Promise<void> {
    const isOurs = (argv: readonly string[]): boolean => argv[1] === "run" && argv.at(-1) === configFile;
    await endOwnProcesses(isOurs, { signal: "SIGTERM", killAfterMs: STOP_MS_MAX });
  }

  async function start(nameServer: NameServerPorts): Promise<void> {
    assertSocketPath(adminSocket);
    await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
    const installed = await installedVersion(options.binary);
    await assertPortFree("SVC_HTTP_PORT", options.listenHost, options.httpPort, false);
    await assertPortFree("SVC_HTTPS_PORT", options.listenHost, options.httpsPort, true);
    // The ports are free: the Caddy that it was about is gone.
    await rm(http3LostFile, { force: true });
    await writeDurably(configFile, JSON.stringify(caddyConfig(await settingsFor(nameServer, installed)), undefined, 1));
    await writeDurably(versionFile, `${installed}\n`);
    // Nothing answers on it: it is what a killed one left.
    await rm(adminSocket, { force: true });
    await startProcess(options, admin, stateDirectory, configFile);
    await chmod(adminSocket, 0o600);
    log.info({ version: installed, httpPort: options.httpPort, httpsPort: options.httpsPort }, "started the proxy");
  }

  async function load(running: unknown, settings: CaddySettings): Promise<void> {
    const [major, minor] = settings.caddyVersion;
    if (major > 2 || minor > 6) return admin.load(caddyConfig(settings));
    // Caddy 2.6 hands its listener for HTTP/3 on to the next configuration together with the former one's certificates,
    // unless one that has no such listener comes between.
    const withoutHttp3 = caddyConfig({ ...settings, http3: false });
    if (hasHttp3(running)) {
      await untilHttp3("serving", HTTP3_START_MS_MAX);
      await admin.load(withoutHttp3);
    }
    if (settings.http3 && !(await untilHttp3("off", HTTP3_END_MS_MAX))) return noteHttp3Lost();
    await admin.load(caddyConfig(settings));
    // Where it was slow to end the former listener, on a busy host, all later ones are dead as long as it runs.
    if (!settings.http3 || (await untilHttp3("serving", HTTP3_START_MS_MAX))) return;
    await noteHttp3Lost();
    await admin.load(withoutHttp3);
  }

  async function noteHttp3Lost(): Promise<void> {
    log.error("apps are served over HTTP/1.1 and HTTP/2, but not over HTTP/3 until the proxy (Caddy) is restarted");
    await writeDurably(http3LostFile, "");
  }

  /** Whether Caddy came to that; also true when it never told. One that is off does not come to serve. */
  async function untilHttp3(wanted: Http3State, withinMs: number): Promise<boolean> {
    let last: Http3State = wanted;
    for (const deadline = Date.now() + withinMs; ; await systemClock.sleep(HTTP3_POLL_MS)) {
      const state = await admin.http3().catch(() => undefined);
      if (state === wanted) return true;
      if (state === "off") return false;
      last = state ?? last;
      if (Date.now() >= deadline) return last === wanted;
    }
  }

  async function loadIfDifferent(running: unknown, nameServer: NameServerPorts): Promise<void> {
    // It was started by somebody else, who has one of their own (SVC_CADDY_ADMIN).
    if (running === null) await rm(http3LostFile, { force: true });
    const settings = await settingsFor(nameServer, (await version()) || (await installedVersion(options.binary)));
    if (equals(running, caddyConfig(settings))) return;
    if (running !== null && !isOurs(running)) {
      throw new SvcError(
        "proxy_unavailable",
        `The Caddy behind ${adminSocket} (SVC_CADDY_ADMIN) has a configuration of somebody else's, which is left alone. ` +
          `Name the socket of a Caddy of its own for the agent, or unset SVC_CADDY_ADMIN.`,
      );
    }
    try {
      await load(running, settings);
    } catch (cause) {
      throw new SvcError(
        "proxy_unavailable",
        `The proxy keeps its former configuration because it refused the new one: ${messageOf(cause)}`,
        { cause },
      );
    }
    log.warn("loaded a new configuration into the running proxy");
  }

  return {
    admin,
    version,
    probeSecret,
    async ensureRunning(nameServer) {
      let running: unknown;
      try {
        running = await admin.config();
      } catch (error) {
        // One that only takes its time serves on, and is found by its ports.
        if (isErrno(error, "ENOENT") || isErrno(error, "ECONNREFUSED")) await endUnreachable();
        return start(nameServer);
      }
      await loadIfDifferent(running, nameServer);
    },
    async stop() {
      await admin.stop().catch(() => {});
      const deadline = Date.now() + STOP_MS_MAX;
      while (Date.now() < deadline && (await answers(admin))) await systemClock.sleep(POLL_MS);
    },
  };
}

/** In a session of its own, so that it serves on when the agent ends. */
async function startProcess(
  { binary, onExit }: CaddyOptions,
  admin: CaddyAdmin,
  stateDirectory: string,
  configFile: string,
): Promise<void> {
  const startupLog = join(stateDirectory, "startup.log");
  const output = await open(startupLog, "w", 0o600);
  let ended = false;
  const child = spawn(binary, ["run", "--config", configFile], {
    detached: true,
    cwd: stateDirectory,
    env: {
      PATH: process.env["PATH"],
      HOME: stateDirectory,
      XDG_DATA_HOME: stateDirectory,
      XDG_CONFIG_HOME: stateDirectory,
    },
    stdio: ["ignore", output.fd, output.fd],
  });
  child.on("error", () => (ended = true));
  child.on("exit", () => {
    ended = true;
    onExit();
  });
  child.unref();
  await output.close();
  const deadline = Date.now() + START_MS_MAX;
  while (!ended && Date.now() < deadline) {
    if (await answers(admin)) {
      if (child.pid !== undefined) preferServing(child.pid);
      return;
    }
    await systemClock.sleep(POLL_MS);
  }
  if (!ended) child.kill("SIGKILL");
  const reason = lastError(await readFile(startupLog, "utf8").catch(() => ""));
  throw new SvcError("proxy_unavailable", `Caddy ${ended ? "ended at its start" : "did not start in time"}: ${reason}`);
}

function answers(admin: CaddyAdmin): Promise<boolean> {
  return admin.config().then(
    () => true,
    () => false,
  );
}

/** @throws SvcError proxy_unavailable when it isn't installed or is too old */
async function installedVersion(binary: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(binary, ["version"], { timeout: 10_000 });
    return /[0-9]+\.[0-9]+(?:\.[0-9]+)?/.exec(stdout)?.[0] ?? "0.0";
  } catch (cause) {
    const reason = isErrno(cause, "ENOENT") ? "is not installed" : `does not run: ${messageOf(cause)}`;
    throw new SvcError("proxy_unavailable", `Caddy ${reason}. Install it, on Debian with "apt-get install caddy".`, {
      cause,
    });
  }
}

function majorAndMinor(version: string): [number, number] {
  const [major, minor] = version.split(".");
  return [Number(major ?? 0), Number(minor ?? 0)];
}

function assertSocketPath(path: string): void {
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return;
  throw new SvcError(
    "proxy_unavailable",
    `The proxy's socket ${path} has a path of more than ${SOCKET_PATH_BYTES_MAX} bytes. ` +
      `Set SVC_CADDY_ADMIN to a shorter one, or choose a shorter SVC_DATA_DIR.`,
  );
}

function hasHttp3(config: unknown): boolean {
  const protocols = fieldOf(httpsServerOf(config), "protocols");
  return Array.isArray(protocols) && protocols.includes("h3");
}

/** Whether it runs; what was read from Caddy has been JSON. */
function equals(running: unknown, config: object): boolean {
  return isDeepStrictEqual(running, JSON.parse(JSON.stringify(config)));
}

function isOurs(config: unknown): boolean {
  return httpsServerOf(config) !== undefined;
}

function httpsServerOf(config: unknown): unknown {
  return fieldOf(fieldOf(fieldOf(fieldOf(config, "apps"), "http"), "servers"), HTTPS_SERVER);
}

/** The last thing that Caddy complained about while it started. */
function lastError(log: string): string {
  const line = log.trim().split("\n").at(-1) ?? "";
  return line === "" ? "it left no message." : line.slice(0, 500);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
