import { execFile } from "node:child_process";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual, promisify } from "node:util";
import { parseCidr } from "@svc/agent/engine/network/address-block.ts";
import type { AppRef, BuildRequest } from "@svc/agent/ports.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createTestEngine, newApp, nodeContainer } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startNeighbour } from "../../support/platform/neighbour.ts";

/** No other test's, so that the routing rules for it are those that come from here. */
const BLOCK = "10.223.4.0/22";

const testEngine = createTestEngine();
const { docker } = testEngine;
const engine = testEngine.again({ addressBlock: parseCidr(BLOCK)! });
beforeAll(async () => {
  await removeRulesOf(BLOCK);
  // The rules for builds belong to every agent.
  await removeRules((rule) => rule.includes("docker0") && rule.includes("169.254."));
});
afterAll(async () => {
  await testEngine.cleanUp();
  await removeRulesOf(BLOCK);
});

/** Routing rules, as `ip` prints them. */
async function rulesOf(block: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ip", ["-4", "rule", "show"]);
  return stdout.split("\n").filter((line) => line.includes(block));
}

async function removeRulesOf(block: string): Promise<void> {
  await removeRules((rule) => rule.includes(block));
  expect(await rulesOf(block)).toEqual([]);
}

async function removeRules(which: (rule: string) => boolean): Promise<void> {
  for (const rule of (await rulesOf("")).filter(which)) {
    const [priority, ...selector] = rule.trim().split(/:?\s+/);
    await promisify(execFile)("ip", ["-4", "rule", "del", "priority", priority!, ...selector]);
  }
}

/** Runs a script and gives what it printed: as an app, or as a build does, in the engine's default network. */
type Run = (script: string) => Promise<string>;

function runAs(app: AppRef): Run {
  return async (script) => {
    const { id } = await engine.run(nodeContainer(app, script));
    const lines: string[] = [];
    for await (const batch of engine.logs(id, { lines: 500, follow: true })) {
      lines.push(...batch.map((line) => line.text));
    }
    return lines.join();
  };
}

async function runAsBuild(script: string): Promise<string> {
  const output = new PassThrough();
  await docker.run("node:22-slim", ["node", "-e", script], output, { HostConfig: { AutoRemove: true } });
  return (await text(output.end())).trim();
}

/** Tells how a connection ends: "connected", the error's code, or "silence". */
function connecting(run: Run, host: string, port: number): Promise<string> {
  return run(`const s = require('net').connect(${port}, '${host}');
    s.setTimeout(1000, () => { console.log('silence'); process.exit() });
    s.on('connect', () => { console.log('connected'); process.exit() });
    s.on('error', (e) => { console.log(e.code) });`);
}

/** That nothing gets through while the engine rewrites its firewall: networks come and go. */
async function expectNeverConnected(run: Run, host: string, port: number): Promise<void> {
  expect(await connecting(run, host, port)).toBe("EHOSTUNREACH");
  const answer = run(`let tries = 0, connected = 0;
    setInterval(() => {
      tries++;
      const s = require('net').connect(${port}, '${host}');
      s.setTimeout(200, () => s.destroy());
      s.on('connect', () => { connected++; s.destroy(); });
      s.on('error', () => {});
    }, 2);
    setTimeout(() => { console.log(JSON.stringify({ tries, connected })); process.exit(); }, 1500);`);
  let isOver = false;
  const end = (): boolean => (isOver = true);
  void answer.then(end, end);
  while (!isOver) {
    const passing = newApp();
    await engine.ensureNetwork(passing);
    await engine.removeNetwork(passing);
  }
  const { tries, connected } = JSON.parse(await answer) as { tries: number; connected: number };
  expect(tries).toBeGreaterThan(100);
  expect(connected).toBe(0);
}

test("an app's containers are reached by that app, and never by another app or by a build", async () => {
  const app = newApp();
  const served = await engine.run(nodeContainer(app, "require('net').createServer().listen(3000)"));
  await eventually(
    () => connecting(runAs(app), served.address, 3000),
    (answer) => answer === "connected",
    { what: "the app's own container is reached" },
  );
  const others = [runAs(newApp()), runAsBuild];
  await Promise.all(others.map((run) => expectNeverConnected(run, served.address, 3000)));
});

test("apps and builds reach other hosts, and of link-local addresses, where clouds give out the host's credentials, only names", async () => {
  const neighbour = await startNeighbour(["198.18.77.2", "169.254.77.2"]);
  try {
    const both = [runAs(newApp()), runAsBuild].map(async (run) => {
      expect(await connecting(run, "198.18.77.2", neighbour.port)).toBe("connected");
      expect(await connecting(run, "169.254.77.2", neighbour.namesPort)).toBe("connected");
      await expectNeverConnected(run, "169.254.77.2", neighbour.port);
    });
    await Promise.all(both);
  } finally {
    await neighbour.stop();
  }
});

test("no build and no container is made where apps can't be kept apart, unless the operator has said so", async () => {
  vi.stubEnv("PATH", "/nonexistent");
  onTestFinished(() => void vi.unstubAllEnvs());
  const build = vi.fn(() => Promise.resolve({ imageDigest: "sha256:built" }));
  const request = { app: newApp(), deployId: newId() } as BuildRequest;
  const refused = { code: "isolation_unavailable", message: expect.stringMatching(/SVC_ISOLATION=off/) };
  const strict = testEngine.again({ build });
  await expect(strict.build(request)).rejects.toMatchObject(refused);
  await expect(strict.ensureNetwork(request.app)).rejects.toMatchObject(refused);
  await expect(strict.run(nodeContainer(request.app, ""))).rejects.toMatchObject(refused);
  expect(build).not.toHaveBeenCalled();
  expect(await strict.list({ appId: request.app.id })).toEqual([]);

  const lenient = testEngine.again({ build, isIsolationRequired: false });
  expect(await lenient.build(request)).toEqual({ imageDigest: "sha256:built" });
  await lenient.ensureNetwork(request.app);
  await lenient.removeNetwork(request.app);
});

test("apps are kept apart again after something has taken the routing rules away", async () => {
  const block = "10.223.1.0/24";
  const error = vi.spyOn(silentLogger, "error");
  const again = testEngine.again({
    addressBlock: parseCidr(block)!,
    build: async () => ({ imageDigest: (await rulesOf(block)).length.toString() }),
  });
  const app = newApp();
  await again.ensureNetwork(app);
  const rules = await rulesOf(block);
  expect(rules).toHaveLength(6);

  await removeRulesOf(block);
  for (let i = 0; i < 2; i++) await again.ensureNetwork(app);
  expect(await rulesOf(block)).toEqual(rules);

  await removeRulesOf(block);
  const stopping = new AbortController();
  const kept = again.keepAppsApart(stopping.signal, () => expect.unreachable("the rules can be set"));
  await eventually(
    () => rulesOf(block),
    (now) => isDeepStrictEqual(now, rules),
    { what: "the rules are back" },
  );
  stopping.abort();
  await kept;

  await removeRulesOf(block);
  const request = { app, deployId: newId() } as BuildRequest;
  expect(await again.build(request)).toEqual({ imageDigest: "6" });

  await again.removeNetwork(app);
  await removeRulesOf(block);
  expect(error).not.toHaveBeenCalled();
});
