import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { labelFilter, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { eventually } from "../support/tools/eventually.ts";
import { freePorts } from "../support/tools/free-ports.ts";

const program = fileURLToPath(new URL("../../deploy/quickstart/bootstrap.mjs", import.meta.url));

let directory: string;
let env: NodeJS.ProcessEnv;
let httpsPort: number;
let apiPort: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-qs-"));
  const [api, agents, metrics, health, http, https] = await freePorts(6);
  apiPort = api!;
  httpsPort = https!;
  env = {
    ...process.env,
    SVC_DATA_DIR: directory,
    SVC_LISTEN: `127.0.0.1:${api}`,
    SVC_AGENTS_LISTEN: `127.0.0.1:${agents}`,
    SVC_METRICS_LISTEN: `127.0.0.1:${metrics}`,
    SVC_AGENT_HTTP: `127.0.0.1:${health}`,
    SVC_HTTP_PORT: String(http),
    SVC_HTTPS_PORT: String(https),
  };
});
afterAll(async () => {
  if (existsSync(directory)) await quickstart("--reset", "--yes");
  await rm(directory, { recursive: true, force: true });
});

/** @returns what it printed; rejects when it ends with another status than 0 */
async function quickstart(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], { env });
  return stdout + stderr;
}

/** The sample app through the proxy, its certificate verified. @returns how many visits it counts */
function visit(): Promise<number> {
  const name = "hello.apps.localhost";
  const ca = readFileSync(join(directory, "agent/internal-ca.pem"));
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: httpsPort,
      servername: name,
      headers: { host: name },
      ca,
      path: "/api/visits",
    };
    const req = request(options, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      res.on("end", () => resolve((JSON.parse(text) as { visits: number }).visits));
    });
    req.on("error", reject).end();
  });
}

function apiAnswers(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${apiPort}/readyz`).then(
    (res) => res.ok,
    () => false,
  );
}

/** The quickstart's words after it has fetched the app. */
const CHECKED = /✓ The app answers; its database counts \d+ visits/;

describe("the quickstart", () => {
  let visits: number;

  it("ends with the sample app served, its daemons stopped", async () => {
    expect(await quickstart("--once")).toMatch(CHECKED);
    expect(await apiAnswers()).toBe(false);
    visits = await visit();
  });

  it("can be run again: the app keeps its rows, and --detach leaves the daemons running", async () => {
    expect(await quickstart("--detach")).toMatch(CHECKED);
    expect(await apiAnswers()).toBe(true);
    expect(await visit()).toBeGreaterThan(visits);
  });

  it("shows the key that it made, alone on a line", async () => {
    const key = await quickstart("--show-key");
    expect(key).toMatch(/^svc_\S+\n$/);
    const answer = await fetch(`http://127.0.0.1:${apiPort}/api/apps`, {
      headers: { Authorization: `Bearer ${key.trim()}` },
    });
    expect(answer.status).toBe(200);
  });

  it("finds the daemons that an earlier run left, and stops them", async () => {
    expect(await quickstart("--down")).toContain("Stopped the daemons");
    expect(await apiAnswers()).toBe(false);
    expect(await quickstart("--down")).toContain("No daemon was running");
    expect(await visit()).toBeGreaterThan(visits);
  });

  it("is taken over by another one beside it, which goes on alone", async () => {
    const first = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    for (const stream of [first.stdout, first.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const ended = once(first, "exit");
    await eventually(
      () => output,
      (text) => text.includes("Ctrl-C stops the daemons"),
      { what: "the first shows the daemons' logs", deadlineMs: 60_000 },
    );
    // It comes to see what has happened when the other one's daemons run already.
    process.kill(-first.pid!, "SIGSTOP");
    try {
      expect(await quickstart("--detach")).toMatch(CHECKED);
    } finally {
      process.kill(-first.pid!, "SIGCONT");
    }
    expect(await ended).toEqual([1, null]);
    expect(output).toContain("Another quickstart command has taken over");
    expect(output).not.toMatch(/The (control-plane|agent|git-server) has ended/);
    expect(await apiAnswers()).toBe(true);
    expect(await quickstart("--down")).toContain("Stopped the daemons");
  });

  it("removes all that it made, and asks first", async () => {
    await expect(quickstart("--reset")).rejects.toThrow(/--yes/);
    const { id } = JSON.parse(readFileSync(join(directory, "agent/identity/server.json"), "utf8")) as { id: string };
    await quickstart("--reset", "--yes");
    const filters = labelFilter({ [LABEL_SERVER]: id });
    const docker = connectDocker(process.env["DOCKER_HOST"]);
    expect(await docker.listContainers({ all: true, filters })).toEqual([]);
    expect(await docker.listImages({ filters: JSON.stringify(filters) })).toEqual([]);
    expect(await docker.listNetworks({ filters })).toEqual([]);
    expect((await docker.listVolumes({ filters })).Volumes).toEqual([]);
    for (const part of ["control-plane", "agent", "quickstart"]) expect(existsSync(join(directory, part))).toBe(false);
  });
});
