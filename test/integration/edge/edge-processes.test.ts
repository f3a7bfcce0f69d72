import { spawn } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { get as getHttp } from "node:http";
import { createServer, type Server } from "node:net";
import { getPriority } from "node:os";
import { join } from "node:path";
import { createProxy } from "@svc/agent/edge/proxy.ts";
import { createCaddyAdmin } from "@svc/agent/edge/caddy/caddy-admin.ts";
import { nameServerLogFile, readNameServerInfo } from "@svc/agent/edge/name-server/name-server-files.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../support/tools/eventually.ts";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";
import { startLoad } from "../../support/platform/open-loop-load.ts";
import { freePort } from "../../support/tools/free-ports.ts";

let edge: TestEdge;
let app: Upstream;

beforeEach(async () => {
  edge = await startTestEdge();
  app = await startUpstream("app");
  await edge.proxy.setRoutes("app-1", [routeTo("app.test", "app-1", app)]);
});

afterEach(async () => {
  await edge.cleanUp();
  await app.close();
});

function nameServer() {
  const info = readNameServerInfo(edge.dataDirectory);
  if (!info) throw new Error("there is no name server");
  return info;
}

function startedAt(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/stat`, "utf8").then((stat) => stat.split(" ")[21] ?? "");
}

it("no request is lost when the name server is killed", async () => {
  const ending = new AbortController();
  const supervising = edge.proxy.supervise(ending.signal);
  const killed = nameServer();
  const { internalCaPem } = await edge.proxy.describe();
  const load = await startLoad({ host: "app.test", port: edge.httpsPort, ca: internalCaPem, perSecond: 100 });
  await expect.poll(() => load.sent()).toBeGreaterThan(50);
  process.kill(killed.pid, "SIGKILL");
  await expect.poll(() => nameServer().pid, { timeout: 10_000 }).not.toBe(killed.pid);
  const sentUntilNow = load.sent();
  await expect.poll(() => load.sent()).toBeGreaterThan(sentUntilNow + 50);
  const result = await load.stop();
  ending.abort();
  await supervising;
  expect(result.failures).toEqual({});
  expect(nameServer().ports).toEqual(killed.ports);
});

it("processes that serve go before those that deploy when the processors are busy", async () => {
  const caddy = await pidOfCaddy();
  for (const pid of [caddy, nameServer().pid]) {
    const threads = await readdir(`/proc/${pid}/task`);
    // Only root may.
    expect(threads.map((thread) => getPriority(Number(thread)))).toContain(process.getuid?.() === 0 ? -10 : 0);
  }
});

async function pidOfCaddy(): Promise<number> {
  const caddies = await pidsWhoseCommandLine((commandLine) => commandLine.includes("\0run\0--config\0"));
  for (const pid of caddies) {
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (directory === join(edge.dataDirectory, "caddy")) return pid;
  }
  throw new Error("there is no Caddy");
}

async function pidsWhoseCommandLine(isMeant: (commandLine: string) => boolean): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    const commandLine = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (isMeant(commandLine)) found.push(Number(name));
  }
  return found;
}

it("a name server that is told to end chooses no container any more, and knows those that are chosen until it is gone", async () => {
  const { pid, ports } = nameServer();
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${ports.dns}`]);
  const choose = () => resolver.resolveSrv("app.test.up.internal");
  const [chosen] = await choose();
  process.kill(pid, "SIGTERM");
  const refused = () =>
    choose().then(
      () => "chosen",
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(refused, { interval: 1 }).toBe("ESERVFAIL");
  expect(await resolver.resolve4(chosen!.name)).toEqual(["127.0.0.1"]);
  await expect.poll(pidsOfNameServers).toEqual([]);
});

it("a name server that hangs is replaced, with the same ports", async () => {
  const hanging = nameServer();
  process.kill(hanging.pid, "SIGSTOP");
  await edge.proxy.ensureRunning();
  expect(nameServer().pid).not.toBe(hanging.pid);
  expect(nameServer().ports).toEqual(hanging.ports);
  expect((await edge.get("app.test")).body).toBe("app");
});

it("a name server of another version is replaced", async () => {
  const old = nameServer();
  const file = join(edge.dataDirectory, "name-server.json");
  await writeFile(file, JSON.stringify({ ...old, version: 999 }));
  await edge.proxy.ensureRunning();
  expect(nameServer().pid).not.toBe(old.pid);
  expect(nameServer().version).toBe(old.version);
});

it("a name server whose agent was killed before it was ready is ended, and the next has the same ports", async () => {
  const old = nameServer();
  const loaded = await configurationsLoaded();
  process.kill(old.pid, "SIGKILL");
  await expect.poll(pidsOfNameServers).toEqual([]);
  const killedAgents = createProxy(edge.options)
    .ensureRunning()
    .catch((error: unknown) => error);
  await expect.poll(pidsOfNameServers, { interval: 1 }).toHaveLength(1);
  await edge.proxy.ensureRunning();
  await killedAgents;
  expect(await pidsOfNameServers()).toEqual([nameServer().pid]);
  expect(nameServer().ports).toEqual(old.ports);
  expect(await configurationsLoaded()).toBe(loaded);
});

it("a port that the former name server's end leaves taken for a moment is waited for", async () => {
  const old = nameServer();
  process.kill(old.pid, "SIGKILL");
  await expect.poll(pidsOfNameServers).toEqual([]);
  const holder = await takePort(old.ports.fallback);
  const replaced = edge.proxy.ensureRunning();
  await expect.poll(pidsOfNameServers).toHaveLength(1);
  await expect.poll(() => readNameServerLog()).toContain("port is taken");
  holder.close();
  await replaced;
  expect(nameServer().ports).toEqual(old.ports);
});

/** A process that is ending has no command line any more while its sockets are still there. */
async function takePort(port: number): Promise<Server> {
  const listen = async (): Promise<Server | undefined> => {
    const server = createServer().listen(port, "127.0.0.1");
    return once(server, "listening").then(
      () => server,
      () => undefined,
    );
  };
  const server = await eventually(listen, (it) => it !== undefined, { what: `port ${port} is free` });
  return server!;
}

function readNameServerLog(): Promise<string> {
  return readFile(nameServerLogFile(edge.dataDirectory), "utf8");
}

async function pidsOfNameServers(): Promise<number[]> {
  return pidsWhoseCommandLine((commandLine) => commandLine.endsWith(`\0${edge.dataDirectory}\0`));
}

it("the name server serves the last good table while the file is bad, and the agent refuses to overwrite it", async () => {
  expect((await edge.get("app.test")).body).toBe("app");
  await writeFile(join(edge.dataDirectory, "routes.json"), '{"routes": [{"host": "app.te');
  expect((await edge.get("app.test")).body).toBe("app");
  await expect(edge.proxy.setRoutes("app-2", [])).rejects.toMatchObject({ code: "proxy_unavailable" });
});

it("Caddy is started again when it was killed", async () => {
  const ending = new AbortController();
  const supervising = edge.proxy.supervise(ending.signal);
  await createCaddyAdmin(join(edge.dataDirectory, "caddy/state/admin.sock")).stop();
  await expect
    .poll(() => edge.get("app.test").catch(() => undefined), { timeout: 15_000 })
    .toMatchObject({ body: "app" });
  ending.abort();
  await supervising;
});

it("a Caddy that hangs is waited for, then ended and started again; its port is nobody else's", async () => {
  const former = await pidOfCaddy();
  const agent = createProxy({ ...edge.options, silentMsMax: 1_000 });
  process.kill(former, "SIGSTOP");
  await expect(agent.ensureRunning()).rejects.toMatchObject({
    code: "proxy_unavailable",
    message: expect.stringContaining("does not answer its agent"),
  });
  await agent.ensureRunning();
  expect(await pidOfCaddy()).not.toBe(former);
  expect(await edge.get("app.test")).toMatchObject({ body: "app" });
});

it("a Caddy that hangs has its own time, also when the one before it hung and could not be started again", async () => {
  const agent = createProxy({ ...edge.options, silentMsMax: 1_000, caddyBinary: "no-such-caddy" });
  const waiting = { code: "proxy_unavailable", message: expect.stringContaining("does not answer its agent") };
  process.kill(await pidOfCaddy(), "SIGSTOP");
  await expect(agent.ensureRunning()).rejects.toMatchObject(waiting);
  await expect(agent.ensureRunning()).rejects.toMatchObject({ message: expect.stringContaining("is not installed") });
  await edge.proxy.ensureRunning();
  const next = await pidOfCaddy();
  process.kill(next, "SIGSTOP");
  await expect(agent.ensureRunning()).rejects.toMatchObject(waiting);
  process.kill(next, "SIGCONT");
  await edge.proxy.ensureRunning();
  expect(await pidOfCaddy()).toBe(next);
});

it("a Caddy whose data directory was deleted is ended, and its ports are taken over", async () => {
  const former = await pidOfCaddy();
  // Both processes may still write there.
  await rm(edge.dataDirectory, { recursive: true, maxRetries: 10 });
  await createProxy(edge.options).ensureRunning();
  expect(await pidOfCaddy()).not.toBe(former);
  await edge.proxy.setRoutes("app-1", [routeTo("app.test", "app-1", app)]);
  const { internalCaPem } = await edge.proxy.describe();
  expect(await edge.get("app.test", { ca: internalCaPem })).toMatchObject({ body: "app" });
});

/** How often Caddy was given a configuration of ours: it warns each time that one of its servers has no HTTPS. */
async function configurationsLoaded(): Promise<number> {
  const log = await readFile(join(edge.dataDirectory, "caddy/state/caddy.log"), "utf8");
  return log
    .split("\n")
    .filter((line) => line.includes("automatic HTTPS is completely disabled") && line.includes('"svc_http"')).length;
}

it("apps are served when the agent is killed, and the next agent changes nothing that runs", async () => {
  await edge.proxy.shutDown();
  const { log: _log, ...options } = edge.options;
  const script = `
    const { createProxy } = await import(${JSON.stringify(import.meta.resolve("@svc/agent/edge/proxy.ts"))});
    const { silentLogger: log } = await import(${JSON.stringify(import.meta.resolve("@svc/shared/platform/logger.ts"))});
    await createProxy({ ...${JSON.stringify(options)}, log }).ensureRunning();
    process.stdout.write("ready");
    setInterval(() => {}, 1000);`;
  const agent = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(agent.stdout, "data");
  agent.kill("SIGKILL");
  await once(agent, "exit");
  expect((await edge.get("app.test")).body).toBe("app");

  const before = await startedAt(nameServer().pid);
  const loaded = await configurationsLoaded();
  await createProxy(edge.options).ensureRunning();
  expect(await startedAt(nameServer().pid)).toBe(before);
  expect(await configurationsLoaded()).toBe(loaded);
});

it("a running Caddy gets our new configuration when the settings have changed", async () => {
  const httpsPort = await freePort();
  const loaded = await configurationsLoaded();
  const changed = createProxy({ ...edge.options, httpsPort });
  await changed.ensureRunning();
  expect((await edge.get("app.test", { port: httpsPort })).body).toBe("app");
  expect(await configurationsLoaded()).toBe(loaded + 1);
});

it("a Caddy with a configuration of somebody else's is left alone", async () => {
  const admin = createCaddyAdmin(join(edge.dataDirectory, "caddy/state/admin.sock"));
  const foreign = { admin: { listen: "unix//proc/self/cwd/state/admin.sock", origins: ["caddy"] } };
  await admin.load(foreign);
  await expect(edge.proxy.ensureRunning()).rejects.toThrow(/SVC_CADDY_ADMIN.*did not make/);
  expect(await admin.config()).toEqual(foreign);
});

it("a taken port is named with its variable and who holds it", async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const address = holder.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const blocked = await startTestEdge({ httpPort: address.port }).catch((error: unknown) => error);
  await new Promise((resolve) => holder.close(resolve));
  expect(blocked).toMatchObject({ code: "proxy_unavailable" });
  expect(String(blocked)).toContain(`Port ${address.port} (SVC_HTTP_PORT) is taken by `);
  expect(String(blocked)).toContain(`(pid ${process.pid})`);
});

it("a missing Caddy is named with what to do", async () => {
  const started = startTestEdge({ caddyBinary: "/nonexistent/caddy" });
  await expect(started).rejects.toThrow(/not installed.*apt-get install caddy/);
});

it("only hosts of the route table, those of stopped apps included, may have a certificate", async () => {
  await edge.proxy.setRoutes("app-2", [routeTo("stopped.test", "app-2", app, "stopped")]);
  expect(await permission("app.test")).toBe(200);
  expect(await permission("APP.test")).toBe(200);
  expect(await permission("stopped.test")).toBe(200);
  expect(await permission("evil.test")).toBe(404);
  expect(await permission("")).toBe(404);
});

function permission(domain: string): Promise<number | undefined> {
  const url = `http://127.0.0.1:${nameServer().ports.ask}/ask?domain=${domain}`;
  return new Promise((resolve, reject) => {
    getHttp(url, { agent: false }, (res) => resolve(res.resume().statusCode)).on("error", reject);
  });
}
