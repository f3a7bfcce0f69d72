import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { create, type ControlPlane } from "@svc/control-plane/app.ts";
import { readConfig } from "@svc/control-plane/config.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { ADMIN, CONTROL_PLANE } from "../../support/platform/bundles.ts";

const run = promisify(execFile);

/** Nothing listens there. */
const COMPANY = {
  id: "company",
  name: "Company",
  issuer: "http://127.0.0.1:1",
  client_id: "svc",
  client_secret_file: "secret",
};

let directory: string;
let controlPlane: ControlPlane;
let base: string;
let key: string;

const env = () => ({
  PATH: process.env["PATH"]!,
  SVC_DATA_DIR: directory,
  SVC_LISTEN: "127.0.0.1:0",
  SVC_AGENTS_LISTEN: "127.0.0.1:0",
  SVC_METRICS_LISTEN: "127.0.0.1:0",
  SVC_OIDC_FILE: join(directory, "oidc.json"),
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-control-plane-"));
  await writeFile(join(directory, "oidc.json"), JSON.stringify([COMPANY]));
  await writeFile(join(directory, "secret"), "hunter2");
  await start();
  await admin("user", "create", "--email", "ada@example.test", "--verified");
  key = String((JSON.parse(await admin("key", "create", "--email", "ada@example.test")) as { key: string }).key);
});
afterAll(async () => {
  await controlPlane?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  controlPlane = create(readConfig(env()), { log: silentLogger });
  await controlPlane.start();
  base = `http://127.0.0.1:${controlPlane.address.port}`;
}

async function admin(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [ADMIN, ...args, "--json"], {
    env: env(),
  });
  return stdout;
}

const call = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, base), { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

test("a control plane answers when it has started, and keeps what it knows over a restart", async () => {
  expect((await fetch(`${base}/readyz`)).status).toBe(200);
  const created = await call("/api/apps", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "kept", repo_url: "https://git.example.test/a.git" }),
  });
  expect(created.status).toBe(201);
  await call("/api/apps/kept/env", {
    method: "PUT",
    body: '{"env": {"A": "b"}}',
    headers: { "Content-Type": "application/json" },
  });
  await controlPlane.stop();
  await expect(fetch(`${base}/healthz`)).rejects.toThrow("fetch failed");
  await start();
  expect(await (await call("/api/apps/kept/env")).json()).toEqual({ env: { A: "b" } });
});

test("a provider of SVC_OIDC_FILE that is down keeps nothing from starting, and whoever wants to sign in there reads so", async () => {
  expect(await (await fetch(`${base}/auth/ways`)).json()).toEqual({
    sign_up: "invite",
    providers: [{ id: "company", name: "Company" }],
  });
  const begun = await fetch(`${base}/auth/oidc/company`, { redirect: "manual" });
  expect([begun.status, begun.headers.get("Location")]).toEqual([302, "/sign-in?refused=unreachable"]);
});

test("a second control plane on the same data directory refuses, and the first one goes on", async () => {
  const second = create(readConfig(env()), { log: silentLogger });
  await expect(second.start()).rejects.toThrow(/Another control plane runs .* SVC_DATA_DIR, or set DATABASE_URL/);
  expect((await call("/api/apps")).status).toBe(200);
  await admin("user", "list");
  expect((await call("/api/apps")).status).toBe(200);
});

test("metrics are on an address of their own, which serves nothing else, and on the API's address there are none", async () => {
  const metrics = `http://127.0.0.1:${controlPlane.metricsAddress.port}`;
  expect((await call("/api/apps")).status).toBe(200);
  const text = await (await fetch(`${metrics}/metrics`)).text();
  expect(text).toMatch(/svc_http_requests_total\{method="GET",route="\/api\/apps",status="200"\} \d+/);
  const statuses = ["/", "/api/apps", "/healthz", "/metrics/x"].map(
    async (path) => (await call(metrics + path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404]);
  expect((await fetch(`${metrics}/metrics`, { method: "POST" })).status).toBe(405);
  expect((await call("/metrics")).status).toBe(404);
});

test("the document names the address that the system chose", async () => {
  const document = (await (await fetch(`${base}/api/openapi.json`)).json()) as { servers: unknown };
  expect(document.servers).toEqual([{ url: base }]);
});

test("a body beyond 1 MiB is refused on a real connection, declared or not", async () => {
  const headers = { "Content-Type": "application/json" };
  const large = Buffer.alloc(2 * 1024 * 1024, "x");
  expect((await call("/api/apps", { method: "POST", headers, body: large })).status).toBe(413);
  const body = new Blob([large]).stream();
  const undeclared: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
  expect((await call("/api/apps", undeclared)).status).toBe(413);
  expect((await call("/api/apps")).status).toBe(200);
});

test("the embedded database is started again when it was killed", async () => {
  const pid = (await readFile(join(directory, "postgres", "data", "postmaster.pid"), "utf8")).split("\n")[0];
  process.kill(Number(pid), "SIGKILL");
  await expect.poll(async () => (await fetch(`${base}/readyz`)).status, { timeout: 15_000, interval: 50 }).toBe(503);
  await expect.poll(async () => (await fetch(`${base}/readyz`)).status, { timeout: 20_000, interval: 50 }).toBe(200);
  expect((await call("/api/apps")).status).toBe(200);
});

test("a start that can't succeed ends with one sentence and a status", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const other = await mkdtemp(join(tmpdir(), "svc-control-plane-"));
  try {
    for (const [variables, reason] of [
      [{ SVC_LISTEN: `127.0.0.1:${port}` }, `The API can't listen on 127.0.0.1:${port}: something else listens there.`],
      [
        { SVC_AGENTS_LISTEN: `127.0.0.1:${port}` },
        `for agents on 127.0.0.1:${port}: something else listens there. Set SVC_AGENTS_LISTEN`,
      ],
      [
        { SVC_METRICS_LISTEN: `127.0.0.1:${port}` },
        `The metrics can't listen on 127.0.0.1:${port}: something else listens there. Set SVC_METRICS_LISTEN`,
      ],
      [
        { SVC_OUTBOUND_CA_FILE: "/dev/null" },
        "SVC_OUTBOUND_CA_FILE is /dev/null, which can't be used: it holds no certificate",
      ],
      [{ SVC_LISTEN: "nowhere" }, 'SVC_LISTEN is \\"nowhere\\"; allowed is host:port'],
      [{ DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" }, "The database can't be reached"],
    ] as const) {
      const child = spawn(process.execPath, [CONTROL_PLANE], {
        env: { ...env(), SVC_DATA_DIR: other, ...variables },
      });
      let output = "";
      child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const [status] = (await once(child, "close")) as [number];
      expect(status).toBe(1);
      expect(output).toContain(reason);
      expect(output).not.toContain("hunter2");
      expect(output).not.toContain("    at ");
    }
  } finally {
    taken.close();
    await rm(other, { recursive: true, force: true });
  }
});
