import { once } from "node:events";
import { spawn, execFile, type ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { openAuthority } from "@svc/control-plane/fleet/authority/open-authority.ts";
import { addKey } from "../api/accounts.ts";
import { ADMIN, AGENT, CONTROL_PLANE } from "./bundles.ts";
import { eventually } from "../tools/eventually.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { removeHostOf } from "./remove-host.ts";
import { freePorts } from "../tools/free-ports.ts";
import { onceValid } from "../doubles/young-certificate.ts";

const run = promisify(execFile);

export interface PlatformOptions {
  /** Is added to the control plane's variables. */
  controlPlane?: Record<string, string>;
  /** Is added to the agent's variables. */
  agent?: Record<string, string>;
  /** The agent's program; the one that was built, by default. */
  agentProgram?: string;
  /** Where the proxy listens; free ports by default. */
  proxyPorts?: { http: number; https: number };
  /** The control plane's own PostgreSQL, instead of a test database. */
  embeddedDatabase?: boolean;
}

/** Both daemons as processes of their own, on ports and directories of their own, as an operator would start them. */
export interface Platform {
  baseUrl: string;
  key: string;
  appsDomain: string;
  httpPort: number;
  httpsPort: number;
  /** Where agents connect, as SVC_CONTROL_PLANE. */
  agentsAddress: string;
  /** Holds everything of both daemons. */
  directory: string;
  agentDataDir: string;
  database: TestDatabase;
  controlPlane: Daemon;
  agent: Daemon;
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  admin(...args: string[]): Promise<string>;
  as(key: string): Platform["api"];
  /** GET through the proxy, certificate verified against the agent's internal CA. */
  fetchApp(name: string, path?: string): Promise<ProxyAnswer>;
  deploy(app: string, body?: unknown, deadlineMs?: number): Promise<DeployAnswer>;
  /** Polls the deploy until it has ended. */
  deployEnd(deployId: string, deadlineMs?: number): Promise<DeployAnswer>;
  stop(): Promise<void>;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
  headers: Headers;
}

export interface DeployAnswer {
  deploy: { id: string; status: string; error?: string; commit_sha?: string; release?: string };
  steps: {
    step_name: string;
    status: string;
    output?: string;
    error?: string;
    started_at?: string;
    finished_at?: string;
  }[];
}

/** A daemon that can be stopped in order, killed, and started again with what it had. */
export class Daemon {
  readonly log: string;
  readonly #args: string[];
  readonly #env: Record<string, string>;
  readonly #readyUrl: string;
  #child: ChildProcess | undefined;

  constructor(main: string, env: Record<string, string>, readyUrl: string, log: string) {
    this.#args = [main];
    this.#env = env;
    this.#readyUrl = readyUrl;
    this.log = log;
  }

  /** @param once further variables, for this start alone */
  async start(once: Record<string, string> = {}): Promise<void> {
    const { PATH, HOME } = process.env;
    // Its own end of the file: what it logs is there even when it, or this process, is killed.
    const log = openSync(this.log, "a");
    const child = spawn(process.execPath, this.#args, {
      env: { PATH: PATH!, HOME: HOME!, ...this.#env, ...once },
      stdio: ["ignore", "ignore", log],
    });
    closeSync(log);
    this.#child = child;
    await eventually(
      async () => {
        if (child.exitCode !== null)
          throw new Error(`${this.#args[0]} ended: ${readFileSync(this.log, "utf8").slice(-3000)}`);
        return fetch(this.#readyUrl).then(
          async (response) => ({ ok: response.ok, text: await response.text() }),
          (error: unknown) => ({ ok: false, text: String(error) }),
        );
      },
      ({ ok }) => ok,
      { what: `${this.#readyUrl} is ready`, deadlineMs: 45_000, intervalMs: 50 },
    ).catch(async (error: unknown) => {
      // Nobody else will: whoever starts it gets no platform to stop.
      await this.stop("SIGKILL");
      throw error;
    });
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Null while it runs. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
    return child.exitCode;
  }
}

/** As built in, but tests write as often as they like. */
const WRITES = { writes_per_minute: 1e9, write_burst: 1e9 };
export const UNHURRIED_TIERS_FILE = JSON.stringify({
  free: { apps: 3, memory: "512m", cpus: "1", ...WRITES },
  pro: { apps: 25, memory: "1g", cpus: "2", ...WRITES },
  team: { apps: 250, memory: "2g", cpus: "4", ...WRITES },
});

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const directory = mkdtempSync(join(tmpdir(), "svc-platform-"));
  const database = await createTestDatabase();
  const [api, agents, metrics, agentHttp, freeHttp, freeHttps] = (await freePorts(6)) as [
    number,
    ...[number, number, number, number, number],
  ];
  const { http, https } = options.proxyPorts ?? { http: freeHttp, https: freeHttps };
  const agentDataDir = options.agent?.["SVC_DATA_DIR"] ?? join(directory, "agent");
  const baseUrl = `http://127.0.0.1:${api}`;
  const tiersFile = join(directory, "tiers.json");
  writeFileSync(tiersFile, UNHURRIED_TIERS_FILE);
  const controlPlaneEnv = {
    SVC_TIERS_FILE: tiersFile,
    SVC_LISTEN: `127.0.0.1:${api}`,
    SVC_AGENTS_LISTEN: `127.0.0.1:${agents}`,
    SVC_METRICS_LISTEN: `127.0.0.1:${metrics}`,
    SVC_APPS_HTTPS_PORT: String(https),
    SVC_DATA_DIR: join(directory, "control-plane"),
    ...(options.embeddedDatabase ? {} : { DATABASE_URL: database.url }),
    ...options.controlPlane,
  };
  const adminEnv = { PATH: process.env["PATH"]!, HOME: process.env["HOME"]!, ...controlPlaneEnv };
  const admin = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [ADMIN, ...args], { env: adminEnv });
    return stdout;
  };
  const controlPlane = new Daemon(
    CONTROL_PLANE,
    controlPlaneEnv,
    `${baseUrl}/readyz`,
    join(directory, "control-plane.log"),
  );
  await controlPlane.start();

  const { key, token } = options.embeddedDatabase
    ? await setUpByCommands(admin)
    : await setUp(database.db, controlPlaneEnv.SVC_DATA_DIR);
  const agent = new Daemon(
    options.agentProgram ?? AGENT,
    {
      SVC_CONTROL_PLANE: `https://127.0.0.1:${agents}`,
      SVC_JOIN_TOKEN: token,
      SVC_DATA_DIR: agentDataDir,
      SVC_HTTP_PORT: String(http),
      SVC_HTTPS_PORT: String(https),
      SVC_AGENT_HTTP: `127.0.0.1:${agentHttp}`,
      // No app of a test needs the rest; benchmarks have what operators have.
      ...(process.env["VITEST"] ? { SVC_BUILD_CPUS: String(availableParallelism()) } : {}),
      ...options.agent,
    },
    `http://127.0.0.1:${agentHttp}/readyz`,
    join(directory, "agent.log"),
  );
  try {
    await agent.start();
    // An agent is ready before it is linked, and until then a deploy is queued.
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text(),
      (text) => /^svc_agent_links 1$/m.test(text),
      { what: "the agent is linked", deadlineMs: 45_000 },
    );
  } catch (error) {
    await agent.stop();
    await controlPlane.stop();
    throw error;
  }

  const as =
    (bearer: string): Platform["api"] =>
    async (method, path, body, headers = {}) => {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
    };
  const call = as(key);

  const deployEnd = async (deployId: string, deadlineMs = 120_000): Promise<DeployAnswer> =>
    eventually(
      async () => (await call("GET", `/api/deploys/${deployId}`)).body as DeployAnswer,
      ({ deploy }) => deploy.status !== "running" && deploy.status !== "pending",
      // Its answer holds all that was built, and takes the service some milliseconds.
      { what: `deploy ${deployId} ends`, deadlineMs, intervalMs: 500 },
    );

  const appsDomain = "apps.localhost";
  return {
    baseUrl,
    key,
    appsDomain,
    httpPort: http,
    httpsPort: https,
    agentsAddress: `https://127.0.0.1:${agents}`,
    directory,
    agentDataDir,
    database,
    controlPlane,
    agent,
    api: call,
    admin,
    as,
    fetchApp: async (name, path = "/") =>
      fetchThroughProxy({
        host: `${name}.${appsDomain}`,
        port: https,
        path,
        ca: readFileSync(join(agentDataDir, "internal-ca.pem"), "utf8"),
      }),
    async deploy(app, body, deadlineMs) {
      const { status, body: answer } = await call("POST", `/api/apps/${app}/deploy`, body ?? {});
      const { deploy_id: id } = answer as { deploy_id?: string };
      if (status !== 202 || id === undefined) throw new Error(`deploy of ${app}: ${status} ${JSON.stringify(answer)}`);
      return deployEnd(id, deadlineMs);
    },
    deployEnd,
    async stop() {
      await agent.stop();
      await controlPlane.stop();
      // Removes what the agent leaves running on purpose: the proxy, the name server, the apps.
      await removeHostOf(agentDataDir);
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const OWNER = "owner@example.test";
const SERVER = "server-1";

interface Credentials {
  /** The key of a user, who may do all that users may. */
  key: string;
  /** With which the agent joins. */
  token: string;
}

async function setUpByCommands(admin: Platform["admin"]): Promise<Credentials> {
  await admin("user", "create", "--email", OWNER, "--tier", "team", "--verified");
  const { key } = JSON.parse(await admin("key", "create", "--email", OWNER, "--json")) as { key: string };
  const { token } = JSON.parse(await admin("server", "token", "--name", SERVER, "--json")) as { token: string };
  return { key, token };
}

/** Does what these commands do, without three processes: each takes half a second of a processor. */
async function setUp(db: Db, dataDirectory: string): Promise<Credentials> {
  const { key } = await addKey(db, OWNER);
  const authority = await openAuthority(db, dataDirectory);
  const { token } = await createJoinToken(db, authority.fingerprint, byCommand, SERVER);
  return { key, token };
}

interface ProxyRequest {
  host: string;
  port: number;
  path: string;
  ca: string;
}

interface ProxyAnswer {
  status: number;
  body: string;
  issuer: string;
}

export function fetchThroughProxy(request: ProxyRequest): Promise<ProxyAnswer> {
  return onceValid(() => fetchOnce(request));
}

function fetchOnce({ host, port, path, ca }: ProxyRequest): Promise<ProxyAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      ca,
      servername: host,
      headers: { host: `${host}:${port}` },
      agent: false,
    };
    const req = httpsRequest(options, (res) => {
      const socket = res.socket as TLSSocket;
      const issuer = String(socket.getPeerCertificate().issuer?.CN ?? "");
      let body = "";
      res.setEncoding("utf8");
      res.on("data", (chunk: string) => (body += chunk));
      res.on("end", () => resolve({ status: res.statusCode ?? 0, body, issuer }));
      res.on("error", reject);
    });
    req.setTimeout(20_000, () => req.destroy(new Error(`${host}${path}: no answer within 20 s`)));
    req.on("error", reject);
    req.end();
  });
}
