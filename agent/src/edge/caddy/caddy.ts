import { randomBytes } from "node:crypto";
import { readlink, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { isErrno, readIfPresent, writeDurably } from "../../platform/durable-file.ts";
import { writeCertificateSettings } from "../certificates/certificate-settings.ts";
import { proxyDirectory, proxyStateDirectory } from "../certificates/certificate-files.ts";
import { createCaddyAdmin, type CaddyAdmin } from "./caddy-admin.ts";
import { caddyConfig, httpsServerOf, type CaddySettings } from "./caddy-config.ts";
import { installedVersion, startCaddy, STOP_MS_MAX, stopCaddy } from "./caddy-process.ts";
import { assertPortFree } from "./free-port.ts";
import type { NameServerPorts } from "../name-server/name-server-files.ts";
import { areRunning, endOwnProcesses, type ProcessFacts } from "../own-processes.ts";
import { ensureProxyAccount } from "./proxy-account.ts";
import { OWN_DIRECTORY, prepareProxyDirectories } from "./proxy-directories.ts";

/** Bytes of a unix socket's path that Linux takes, without the closing zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

const ADMIN_SOCKET = "admin.sock";
const CONFIG_FILE = "config.json";

export interface CaddyOptions {
  dataDirectory: string;
  httpPort: number;
  httpsPort: number;
  /** Interface to listen on; "" for all. */
  listenHost: string;
  /**
   * The socket of the operator's own Caddy, which has its own user and working directory; undefined for the agent's
   * Caddy.
   */
  adminSocket: string | undefined;
  /** Name or path of the program. */
  binary: string;
  /** How long one that runs may leave the agent without an answer. Milliseconds. */
  silentMsMax: number;
  /** How long an upstream that was looked up is kept. Milliseconds. */
  upstreamCacheMs: number;
  log: Logger;
  /** Is called when a Caddy that this process started has ended after it was ready. */
  onExit: () => void;
}

export interface Caddy {
  admin: CaddyAdmin;
  /** The version that runs, such as 2.6.2; empty when none was started. */
  version(): Promise<string>;
  /** Known to the proxy and to this agent; a request that carries it is told who answered. */
  probeSecret(): Promise<string>;
  /** Starts Caddy when none answers; loads our configuration when another runs. @throws SvcError proxy_unavailable */
  ensureRunning(nameServer: NameServerPorts): Promise<void>;
  /** Ends Caddy, if it runs, and waits until it is gone. */
  stop(): Promise<void>;
}

export function createCaddy(options: CaddyOptions): Caddy {
  const { dataDirectory, log } = options;
  const directory = proxyDirectory(dataDirectory);
  const ownSocket = join(proxyStateDirectory(dataDirectory), ADMIN_SOCKET);
  const adminSocket = options.adminSocket ?? ownSocket;
  const admin = createCaddyAdmin(adminSocket);
  const versionFile = join(directory, "version");
  let silentSince: number | undefined;

  /** Whether the Caddy that runs was started by an agent, as a user who can't reach where operators have their sockets. */
  async function isOwn(): Promise<boolean> {
    return adminSocket === ownSocket || (await readlink(adminSocket).catch(() => "")) === ownSocket;
  }

  /** Paths as that Caddy knows them. */
  function placesFor(own: boolean): { home: string; stateDirectory: string } {
    const home = own ? OWN_DIRECTORY : directory;
    return { home, stateDirectory: join(home, basename(proxyStateDirectory(dataDirectory))) };
  }

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

  async function settingsFor(nameServer: NameServerPorts, caddyVersion: string, own: boolean): Promise<CaddySettings> {
    const { home, stateDirectory } = placesFor(own);
    return {
      ...options,
      adminSocket: own ? join(stateDirectory, ADMIN_SOCKET) : adminSocket,
      stateDirectory,
      nameServer,
      probeSecret: await probeSecret(),
      certificates: await writeCertificateSettings(dataDirectory, home),
      caddyVersion: majorAndMinor(caddyVersion),
    };
  }

  const isOwnProcess = ({ argv, cwd }: ProcessFacts): boolean => argv[1] === "run" && cwd === directory;

  /** One whose socket is gone can't be told anything, and holds the ports: its data directory was deleted. */
  async function endUnreachable(): Promise<void> {
    silentSince = undefined;
    await endOwnProcesses(isOwnProcess, { signal: "SIGTERM", killAfterMs: STOP_MS_MAX });
  }

  /**
   * A proxy that only takes its time serves on; after a long silence it serves nobody. A proxy of somebody else's is
   * found by its ports.
   * @throws SvcError proxy_unavailable while it is waited for
   */
  async function endSilent(): Promise<void> {
    if (!(await areRunning(isOwnProcess))) {
      silentSince = undefined;
      return;
    }
    silentSince ??= performance.now();
    const silentMs = performance.now() - silentSince;
    if (silentMs < options.silentMsMax) {
      throw new SvcError(
        "proxy_unavailable",
        `The proxy does not answer its agent. If it stays so for ${Math.ceil(options.silentMsMax / 1000)} s, it is ended and ` +
          "started anew: deploy again in a minute.",
      );
    }
    log.error({ silentMs: Math.round(silentMs) }, "the proxy hangs: it is ended and started anew");
    await endOwnProcesses(isOwnProcess, { signal: "SIGKILL", killAfterMs: 0 });
    // The next one has its own time: a start that fails must not leave it the silence of this one.
    silentSince = undefined;
  }

  async function start(nameServer: NameServerPorts): Promise<void> {
    assertSocketPath(adminSocket);
    const account = await ensureProxyAccount();
    const installed = await installedVersion(options.binary);
    await assertPortFree("SVC_HTTP_PORT", options.listenHost, options.httpPort, false);
    await assertPortFree("SVC_HTTPS_PORT", options.listenHost, options.httpsPort, true);
    const { home, stateDirectory } = placesFor(true);
    await prepareProxyDirectories(dataDirectory, account);
    const config = caddyConfig(await settingsFor(nameServer, installed, true));
    await writeDurably(join(directory, CONFIG_FILE), JSON.stringify(config, undefined, 1), 0o640);
    await writeDurably(versionFile, `${installed}\n`);
    // Nothing answers on them: they are what a killed one left.
    for (const socket of new Set([adminSocket, ownSocket])) await rm(socket, { force: true });
    if (adminSocket !== ownSocket) await symlink(ownSocket, adminSocket);
    await startCaddy({ ...options, account, directory, admin, stateDirectory, configFile: join(home, CONFIG_FILE) });
    log.info({ version: installed, httpPort: options.httpPort, httpsPort: options.httpsPort }, "started the proxy");
  }

  async function loadIfDifferent(running: unknown, nameServer: NameServerPorts): Promise<void> {
    const own = await isOwn();
    if (!own) await prepareProxyDirectories(dataDirectory, undefined);
    const settings = await settingsFor(nameServer, (await version()) || (await installedVersion(options.binary)), own);
    const config = caddyConfig(settings);
    if (equals(running, config)) return;
    if (running !== null && !isOurs(running)) {
      throw new SvcError(
        "proxy_unavailable",
        `The Caddy behind ${adminSocket} (SVC_CADDY_ADMIN) has a configuration that this agent did not make, so it is left alone. ` +
          `Name the socket of a Caddy of its own for the agent, or unset SVC_CADDY_ADMIN.`,
      );
    }
    try {
      await admin.load(config);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new SvcError(
        "proxy_unavailable",
        `The proxy keeps its former configuration because it refused the new one: ${reason}`,
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
        silentSince = undefined;
      } catch (error) {
        if (isErrno(error, "ENOENT") || isErrno(error, "ECONNREFUSED")) await endUnreachable();
        else await endSilent();
        return start(nameServer);
      }
      await loadIfDifferent(running, nameServer);
    },
    stop: () => stopCaddy(admin),
  };
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

/** Compares as JSON, since that is how Caddy gave us the one that runs. */
function equals(running: unknown, config: object): boolean {
  return isDeepStrictEqual(running, JSON.parse(JSON.stringify(config)));
}

function isOurs(config: unknown): boolean {
  return httpsServerOf(config) !== undefined;
}
