import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, readdir, readFile, readlink, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createProxy } from "@svc/agent/edge/proxy.ts";
import { commandAs, ensureProxyAccount, type Account } from "@svc/agent/edge/caddy/proxy-account.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";
import { eventually } from "../../support/tools/eventually.ts";

/** The tests run as root, as the agent does. */
let account: Account;
let edge: TestEdge;
let app: Upstream;

beforeEach(async () => {
  account = (await ensureProxyAccount())!;
  edge = await startTestEdge();
  app = await startUpstream("app");
  await edge.proxy.setRoutes("app-1", [routeTo("app.test", "app-1", app)]);
});
afterEach(async () => {
  await edge.cleanUp();
  await app.close();
});

const directory = (): string => join(edge.dataDirectory, "caddy");

async function caddies(): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const directories = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return pids.filter((_, index) => directories[index] === directory());
}

/** A process's fields in /proc/<pid>/status (proc(5)). */
async function statusOf(pid: number): Promise<Record<string, string>> {
  const lines = (await readFile(`/proc/${pid}/status`, "utf8")).trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

it("Caddy runs as a user of its own, who may listen on any port and nothing else", async () => {
  const [pid, ...others] = await caddies();
  expect(others).toEqual([]);
  const netBindService = (1 << 10).toString(16).padStart(16, "0");
  expect(await statusOf(pid!)).toMatchObject({
    Uid: Array(4).fill(account.uid).join("\t"),
    Gid: Array(4).fill(account.gid).join("\t"),
    Groups: expect.stringMatching(/^\s*$/),
    CapPrm: netBindService,
    CapEff: netBindService,
    CapBnd: netBindService,
    NoNewPrivs: "1",
  });
});

it("Caddy runs as its own user also where nothing answers at the socket of an operator's Caddy", async () => {
  await edge.proxy.shutDown();
  const adminSocket = join(edge.dataDirectory, "operators.sock");
  const proxy = createProxy({ ...edge.options, adminSocket });
  try {
    await proxy.ensureRunning();
    const [pid, ...others] = await caddies();
    expect(others).toEqual([]);
    expect(await statusOf(pid!)).toMatchObject({ Uid: Array(4).fill(account.uid).join("\t"), NoNewPrivs: "1" });
    expect((await edge.get("app.test", { ca: (await proxy.describe()).internalCaPem })).body).toBe("app");
    // Another agent finds it, with a configuration that needs no change.
    await createProxy({ ...edge.options, adminSocket }).ensureRunning();
    expect(await caddies()).toEqual([pid]);
  } finally {
    await proxy.shutDown();
  }
});

it("Caddy's user can read neither what the agent keeps nor the engine's socket", async () => {
  await writeFile(join(edge.dataDirectory, "readable-by-all"), "secret", { mode: 0o644 });
  const files = ["probe-secret", "readable-by-all", "routes.json", "name-server.json"];
  const paths = files.flatMap((file) => [join(edge.dataDirectory, file), `../${file}`]);
  // Where Caddy may enter, so that the answer is about the file and not about the way to it.
  const asCaddy = (...command: [string, ...string[]]): Promise<unknown> => {
    const [program, ...argv] = commandAs(account, command);
    return promisify(execFile)(program, argv, { cwd: directory() });
  };
  for (const path of paths) await expect(asCaddy("cat", path)).rejects.toThrow(/Permission denied/);
  await expect(asCaddy("test", "-w", "/var/run/docker.sock")).rejects.toMatchObject({ code: 1 });
  await expect(asCaddy("touch", "config.json")).rejects.toThrow(/Permission denied/);
  await expect(asCaddy("cat", "config.json")).resolves.toMatchObject({ stdout: expect.stringContaining("svc_https") });
});

it("a Caddy of root, with its files in the former place, is replaced once, with its certificates", async () => {
  const { internalCaPem: ca } = await edge.proxy.describe();
  expect((await edge.get("app.test")).body).toBe("app");
  await edge.proxy.shutDown();
  const root = await startFormerCaddy();

  await edge.proxy.ensureRunning();
  expect(await caddies()).not.toContain(root);
  expect((await edge.get("app.test", { ca })).body).toBe("app");
  expect((await edge.proxy.describe()).internalCaPem).toBe(ca);
  const state = join(directory(), "state");
  for (const name of ["pki", "certificates", "."]) {
    expect(await stat(join(state, name))).toMatchObject({ uid: account.uid, gid: account.gid });
  }
  expect(await readdir(state)).not.toContain("config.json");
  const [pid] = await caddies();
  await edge.proxy.ensureRunning();
  expect(await caddies()).toEqual([pid]);
});

/** As agents did before Caddy had a user of its own: everything in one directory, as root. */
async function startFormerCaddy(): Promise<number> {
  const moved = `${directory()}.moved`;
  await rename(join(directory(), "state"), moved);
  const config = await readFile(join(directory(), "config.json"), "utf8");
  await rm(directory(), { recursive: true });
  await rename(moved, directory());
  const former = config.replaceAll("/proc/self/cwd/state/admin.sock", join(edge.dataDirectory, "caddy-admin.sock"));
  await writeFile(join(directory(), "config.json"), former.replaceAll("/proc/self/cwd/state", directory()));
  for (const name of await readdir(directory(), { recursive: true })) await chown(join(directory(), name), 0, 0);
  await chown(directory(), 0, 0);
  const child = spawn("caddy", ["run", "--config", join(directory(), "config.json")], {
    cwd: directory(),
    stdio: "ignore",
  });
  await once(child, "spawn");
  await eventually(
    () => stat(join(edge.dataDirectory, "caddy-admin.sock")).then(Boolean, () => false),
    (isThere) => isThere,
    { what: "the former Caddy listens" },
  );
  return child.pid!;
}
