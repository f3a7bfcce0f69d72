import { readFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metricsTokenFile } from "@svc/agent/host/metrics-token.ts";
import { createTestEngine, newApp, nodeContainer } from "../support/engine/docker.ts";
import { eventually } from "../support/tools/eventually.ts";
import { listenersOf, type HostListener } from "../support/platform/host-listeners.ts";
import { startPlatform, type Platform } from "../support/platform/platform.ts";

/** Both daemons with everything that they start, and one app that is served. */
let platform: Platform;
let appId: string;
let listeners: HostListener[];
const { docker, engine, cleanUp } = createTestEngine();

beforeAll(async () => {
  platform = await startPlatform({
    embeddedDatabase: true,
    controlPlane: { SVC_OUTBOUND_ALLOW: "127.0.0.0/8" },
  });
  const { body } = await platform.api("POST", "/api/apps", { name: "shop", template: "static-site" });
  appId = (body as { app: { id: string } }).app.id;
  expect((await platform.deploy("shop")).deploy).toMatchObject({ status: "success" });
  expect(await platform.fetchApp("shop")).toMatchObject({ status: 200 });
  listeners = await listenersOf(platform.directory);
});
afterAll(async () => {
  await cleanUp();
  await platform?.stop();
});

const isProxys = ({ port }: HostListener): boolean => [platform.httpsPort, platform.httpPort].includes(port);
const own = (): number[] => [...new Set(listeners.filter((one) => !isProxys(one)).map(({ port }) => port))];

test("everything on the host listens on loopback alone, but for the proxy's two ports", () => {
  const programs = ["control-plane.mjs", "agent.mjs", "name-server", "caddy", "postgres"];
  for (const program of programs) {
    expect(listeners.map(({ process }) => process).join("\n")).toContain(program);
  }
  expect(listeners.filter((one) => !one.isLoopback && !isProxys(one))).toEqual([]);
});

test("apps and builds connect to nothing of the platform at their gateways but the proxy", async () => {
  const script = `
    const { connect } = require('net');
    const { readFileSync } = require('fs');
    const hex = readFileSync('/proc/net/route', 'utf8').split('\\n').map((line) => line.split('\\t')).find((f) => f[1] === '00000000')[2];
    const gateway = [6, 4, 2, 0].map((at) => parseInt(hex.slice(at, at + 2), 16)).join('.');
    const ask = (port) => new Promise((resolve) => {
      const socket = connect({ host: gateway, port, timeout: 3000 });
      const end = (answer) => { socket.destroy(); resolve([port, answer]); };
      socket.on('connect', () => end('connected')).on('error', ({ code }) => end(code)).on('timeout', () => end('silence'));
    });
    Promise.all(${JSON.stringify([...own(), platform.httpsPort])}.map(ask)).then((all) => console.log(JSON.stringify(all)));`;
  const expected = [...own().map((port) => [port, "ECONNREFUSED"]), [platform.httpsPort, "connected"]];

  const { id } = await engine.run(nodeContainer(newApp(), script));
  const lines: string[] = [];
  for await (const batch of engine.logs(id, { lines: 10, follow: true })) lines.push(...batch.map((line) => line.text));
  expect(JSON.parse(lines.join(""))).toEqual(expected);

  const output = new PassThrough();
  await docker.run("node:22-slim", ["node", "-e", script], output, { HostConfig: { AutoRemove: true } });
  expect(JSON.parse(await text(output.end()))).toEqual(expected);
});

test("no port shows an app's id to what connects from the host itself, as the engine does for a build", async () => {
  const token = (await readFile(metricsTokenFile(platform.agentDataDir), "utf8")).trim();
  const read = async (port: number, path: string, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers,
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    return answer ? JSON.stringify([...answer.headers]) + (await answer.text()) : "";
  };
  const readAll = (path: string, headers?: Record<string, string>): Promise<string[]> =>
    Promise.all(own().map((port) => read(port, path, headers)));
  const withToken = await eventually(
    () => readAll("/metrics", { authorization: `Bearer ${token}` }),
    (pages) => pages.some((page) => page.includes(`svc_app_requests_total{app_id="${appId}"`)),
    { what: "the agent has counted the request" },
  );
  expect(withToken.filter((page) => page.includes(appId))).toHaveLength(1);
  const paths = ["/metrics", "/", "/healthz", "/readyz", "/config/", "/debug/metrics", "/reverse_proxy/upstreams"];
  const pages = (await Promise.all(paths.map((path) => readAll(path)))).flat();
  expect(pages.filter((page) => page.includes(appId))).toEqual([]);
});
