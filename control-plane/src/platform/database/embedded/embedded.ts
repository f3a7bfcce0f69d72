import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, link, mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./binaries.ts";
import { withStartLock } from "./lock.ts";
import { findRunning, isRunning, POLL_MS, READY_MS_MAX, readPidFile, type RunningServer } from "./process.ts";
import { choosePostgresUser, type PostgresUser } from "./user.ts";

/** A PostgreSQL of our own, which outlives the process that started it until somebody calls `stop`. */
export interface EmbeddedPostgres {
  /** The URL with the password: never log it. */
  url: string;
  /** It ran before: another process may be using it. */
  adopted: boolean;
  port: number;
  isRunning(): Promise<boolean>;
  /** Ends connections and stops the server; does nothing when it has stopped already. */
  stop(): Promise<void>;
  /** The same, provided that `unused` says so while nobody can start or adopt it. */
  stopWhen(unused: () => Promise<boolean>): Promise<void>;
}

export interface EmbeddedOptions {
  /** Is made when missing; holds `data`, `password` and `postgres.log`. */
  directory: string;
  log: Logger;
  /** Server settings beyond the ones below. */
  settings?: Readonly<Record<string, string>>;
  /** Used when it is free; otherwise the system chooses one. */
  port?: number;
}

const SUPERUSER = "svc";

/** Small: a control plane has megabytes of data, and the whole service is to fit into 250 MB at rest. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "60",
  shared_buffers: "16MB",
  work_mem: "4MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  jit: "off",
  // Each of these would be a process of several megabytes at rest.
  io_method: "sync",
  max_worker_processes: "0",
  max_parallel_workers: "0",
  max_parallel_workers_per_gather: "0",
  max_logical_replication_workers: "0",
  autovacuum_max_workers: "1",
  timezone: "UTC",
  log_timezone: "UTC",
  // Otherwise a line every five minutes, for ever.
  log_checkpoints: "off",
};

/** A server that was killed leaves processes that need a moment to notice; the start is tried again meanwhile. */
const START_ATTEMPTS = 5;
const RETRY_DELAY_MS = 500;
/** A fast stop ends with a checkpoint of at most 16 MB. */
const STOP_MS_MAX = 30_000;
const LOG_BYTES_MAX = 10 * 1024 * 1024;

/**
 * Starts the server of `directory`, or adopts it when it runs.
 * @throws SvcError with what to do, when it does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory);
  const binaries = await findPostgresBinaries();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const user = await choosePostgresUser([join(directory, "data"), binaries.postgres]);
  const host = { directory, data: join(directory, "data"), binaries, user, log: options.log };

  return withStartLock(directory, async () => {
    await giveTo(user, directory);
    const password = await ensurePassword(host);
    await ensureData(host);
    const running = await findRunning(host.data);
    const server = running ?? (await start(host, { ...SETTINGS, ...options.settings }, options.port));
    return {
      url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/postgres`,
      adopted: running !== undefined,
      port: server.port,
      isRunning: () => isRunning(host.data),
      stop: () => stop(host.data),
      stopWhen: (unused) =>
        withStartLock(directory, async () => {
          if (await unused()) await stop(host.data);
        }),
    };
  });
}

interface Host {
  directory: string;
  data: string;
  binaries: PostgresBinaries;
  user: PostgresUser;
  log: Logger;
}

async function giveTo(user: PostgresUser, path: string): Promise<void> {
  if (user.ids) await chown(path, user.ids.uid, user.ids.gid);
}

async function ensurePassword({ directory, user }: Host): Promise<string> {
  const file = join(directory, "password");
  const fresh = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const password = randomBytes(24).toString("base64url");
  // Complete before it has its name: a crash in between leaves no half-written password.
  await writeFile(fresh, password, { mode: 0o600, flush: true });
  await giveTo(user, fresh);
  await link(fresh, file);
  await rm(fresh);
  return password;
}

/** A data directory has its name only when initdb has finished, so that one that was interrupted does no harm. */
async function ensureData({ directory, data, binaries, user, log }: Host): Promise<void> {
  if (await exists(join(data, "PG_VERSION"))) return;
  log.info({ directory }, "making the embedded database");
  const fresh = await mkdtemp(join(directory, "initdb-"));
  try {
    await chmod(fresh, 0o700);
    await giveTo(user, fresh);
    const args = ["-D", fresh, "-U", SUPERUSER, "-A", "scram-sha-256", `--pwfile=${join(directory, "password")}`];
    args.push("-E", "UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-instructions");
    const child = user.spawn(binaries.initdb, args, {
      cwd: "/",
      env: programEnv(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    const output = await outputTail(child);
    if (child.exitCode !== 0) throw startFailure(user, directory, `initdb said: ${output}`);
    await rename(fresh, data);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function start(
  host: Host,
  settings: Readonly<Record<string, string>>,
  wantedPort: number | undefined,
): Promise<RunningServer> {
  const { directory, data, binaries, user } = host;
  const logFile = join(directory, "postgres.log");
  // Nobody else starts it while the lock is held, so what names no server of this directory is left over from a crash;
  // PostgreSQL itself would refuse to start when the process number belongs to somebody else by now.
  await rm(join(data, "postmaster.pid"), { force: true });
  for (let attempt = 1; ; attempt++) {
    const keepsLog = ((await stat(logFile).catch(() => undefined))?.size ?? 0) < LOG_BYTES_MAX;
    const output = await open(logFile, keepsLog ? "a" : "w", 0o600);
    try {
      const args = ["-D", data, "-p", String(await freePort(attempt === 1 ? wantedPort : undefined))];
      for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`);
      // A session of its own, so that Ctrl-C on the control plane's terminal leaves it time to finish its transactions.
      const stdio = ["ignore", output.fd, output.fd] as const;
      const child = user.spawn(binaries.postgres, args, {
        cwd: "/",
        env: programEnv(),
        detached: true,
        stdio: [...stdio],
      });
      const server = await waitUntilReady(child, data);
      if (server) {
        child.unref();
        return server;
      }
    } finally {
      await output.close();
    }
    if (attempt === START_ATTEMPTS)
      throw startFailure(user, directory, `Its log ends with: ${await lastLine(logFile)}`);
    await sleep(RETRY_DELAY_MS);
  }
}

/** Is undefined when it exited instead. */
async function waitUntilReady(child: ChildProcess, data: string): Promise<RunningServer | undefined> {
  let failed = false;
  child.once("error", () => (failed = true));
  child.once("exit", () => (failed = true));
  const deadline = Date.now() + READY_MS_MAX;
  while (!failed && Date.now() < deadline) {
    const server = await readPidFile(data);
    if (server?.pid === child.pid && server?.ready) return server;
    await sleep(POLL_MS);
  }
  child.kill("SIGQUIT");
  return undefined;
}

async function stop(data: string): Promise<void> {
  const server = await readPidFile(data);
  if (!server || !(await isRunning(data))) return;
  // SIGINT is PostgreSQL's fast stop: connections end, transactions roll back, data is flushed.
  process.kill(server.pid, "SIGINT");
  const deadline = Date.now() + STOP_MS_MAX;
  while (await isRunning(data)) {
    if (Date.now() > deadline) {
      throw new SvcError("internal", `The PostgreSQL in ${data} (process ${server.pid}) did not stop within 30 s.`);
    }
    await sleep(POLL_MS);
  }
}

function startFailure(user: PostgresUser, directory: string, reason: string): SvcError {
  return new SvcError(
    "internal",
    `The embedded PostgreSQL in ${directory} does not start as user ${user.name}. ${reason} ` +
      "Set SVC_DATA_DIR to a directory that this user can reach, or DATABASE_URL to another PostgreSQL.",
  );
}

/** Nothing of our own environment: it holds secrets, and settings such as PGDATA would be obeyed. */
function programEnv(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
}

async function outputTail(child: ChildProcess): Promise<string> {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (tail = (tail + chunk).slice(-500)));
  try {
    await once(child, "close");
  } catch (error) {
    return (error as Error).message;
  }
  return tail.trim().split("\n").join(" ");
}

async function lastLine(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trim().split("\n").at(-1)?.slice(-500) ?? "nothing";
}

async function freePort(wanted = 0): Promise<number> {
  const probe = createServer().listen(wanted, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch (error) {
    if (wanted !== 0) return freePort();
    throw error;
  }
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
