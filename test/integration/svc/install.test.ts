import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

const run = promisify(execFile);
/** Promised: small enough to be fetched by each run of a CI job. */
const PACKAGE_BYTES_MAX = 250_000;

let world: SvcWorld;
let prefix: string;
let address: string;

beforeAll(async () => {
  world = await startSvcWorld();
  prefix = await mkdtemp(join(tmpdir(), "svc-install-"));
  address = `${world.url}/cli/svc.tgz`;
});
afterAll(async () => {
  await world?.stop();
  await rm(prefix, { recursive: true, force: true });
});

/** With nothing but the service: the package needs no registry. */
const npm = (command: string, ...args: string[]) => {
  const options = ["--registry", "http://127.0.0.1:1", "--cache", join(prefix, "cache"), "--no-audit", "--no-fund"];
  return run("npm", [command, ...options, ...args], { cwd: prefix });
};

test("the service serves its command-line tool as a package that npm installs, and that works", async () => {
  await npm("install", "--global", "--prefix", prefix, address);
  const svc = join(prefix, "bin", "svc");
  expect((await run(svc, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const { stdout } = await run(svc, ["apps", "--url", world.url, "--json"], {
    env: { PATH: process.env["PATH"], HOME: prefix, SVC_API_KEY: world.caller.key },
  });
  expect(JSON.parse(stdout)).toEqual([]);
});

test("npx runs it from there", async () => {
  const { stdout } = await npm("exec", "--yes", `--package=${address}`, "--", "svc", "--version");
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("its checksum is that of its bytes, and it is small", async () => {
  const [file, checksum] = await Promise.all([fetch(address), fetch(`${address}.sha256`)]);
  expect(file.headers.get("content-type")).toBe("application/gzip");
  const bytes = Buffer.from(await file.arrayBuffer());
  expect(await checksum.text()).toBe(`${createHash("sha256").update(bytes).digest("hex")}  svc.tgz\n`);
  expect(bytes.length).toBeLessThan(PACKAGE_BYTES_MAX);
  expect(bytes.length).toBe((await stat(join(import.meta.dirname, "../../../dist/svc.tgz"))).size);
});

test("the index names it, and it can only be read", async () => {
  expect(await (await fetch(`${world.url}/`)).json()).toMatchObject({ cli: "/cli/svc.tgz" });
  const refused = await fetch(address, { method: "DELETE" });
  expect(refused.status).toBe(405);
  expect(refused.headers.get("allow")).toBe("GET, HEAD");
});
