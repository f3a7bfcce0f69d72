import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AccessMetrics } from "@svc/agent/edge/access-log/access-metrics.ts";
import { AppLogs } from "@svc/agent/edge/access-log/app-logs.ts";
import { accessPositionFile, keepAccessLogs } from "@svc/agent/edge/access-log/keep-access-logs.ts";
import { Metrics } from "@svc/agent/host/metrics.ts";
import { accessLogDirectory, accessLogFiles } from "@svc/agent/edge/caddy/caddy-access-log.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";

let edge: TestEdge;
let upstream: Upstream;
let logs: AppLogs;
const [shop, blog] = [newId(), newId()];

beforeAll(async () => {
  edge = await startTestEdge();
  upstream = await startUpstream("app", (req, res) => {
    res.statusCode = req.url === "/broken" ? 500 : 200;
    if (req.url !== "/open") res.end("x".repeat(10));
  });
  logs = new AppLogs(join(edge.dataDirectory, "access-logs"));
  await edge.proxy.setRoutes(shop, [routeTo("shop.test", shop, upstream)]);
  await edge.proxy.setRoutes(blog, [routeTo("blog.test", blog, { ...upstream, name: "other" })]);
});
afterAll(async () => {
  await edge.cleanUp();
  await upstream.close();
});

/** As the agent does it, until `work` is done. */
async function whileKept(work: (metrics: () => Promise<string>) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const { registry } = new Metrics({ linkUp: () => true, lockHeld: () => false });
  const kept = keepAccessLogs(
    {
      logs,
      source: { directory: accessLogDirectory(edge.dataDirectory), filesOf: accessLogFiles },
      proxy: edge.proxy,
      positionFile: accessPositionFile(edge.dataDirectory),
      observers: [new AccessMetrics(registry, edge.proxy)],
      clock: systemClock,
      log: silentLogger,
    },
    ending.signal,
  );
  await work(() => registry.metrics()).finally(() => ending.abort());
  await kept;
}

async function textsOf(appId: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { lines } of logs.read(appId, { lines: 500, follow: false, signal: new AbortController().signal })) {
    texts.push(...lines.map(({ text }) => text.replace(/[0-9.]+ ms$/, "? ms")));
  }
  return texts;
}

it("each app has the requests of its own hosts, counted by the class of their status", async () => {
  await edge.get("shop.test", {
    path: "/a?b=c",
    headers: { host: "shop.test", authorization: "secret", cookie: "secret" },
  });
  await edge.get("shop.test", { path: "/broken" });
  await edge.get("blog.test");
  await edge.proxy.prove("blog.test", upstream.upstream, AbortSignal.timeout(10_000));
  await whileKept(async (metrics) => {
    await expect.poll(() => textsOf(shop), { timeout: 5_000 }).toHaveLength(2);
    expect(await textsOf(shop)).toEqual([
      '127.0.0.1 shop.test "GET /a?b=c HTTP/1.1" 200 10 B ? ms',
      '127.0.0.1 shop.test "GET /broken HTTP/1.1" 500 10 B ? ms',
    ]);
    // The agent's own proof of a route is nobody's request.
    expect(await textsOf(blog)).toEqual(['127.0.0.1 blog.test "GET / HTTP/1.1" 200 10 B ? ms']);
    const raw = await readFile(join(accessLogDirectory(edge.dataDirectory), "access.log"), "utf8");
    expect(raw).not.toContain("secret");
    const text = await metrics();
    expect(text).toContain(`svc_app_requests_total{app_id="${shop}",status="2xx"} 1`);
    expect(text).toContain(`svc_app_requests_total{app_id="${shop}",status="5xx"} 1`);
    expect(text).toContain(`svc_app_request_seconds_count{app_id="${blog}"} 1`);
  });
});

it("requests answered while no agent runs are sorted afterwards, once, and never wait", async () => {
  for (let i = 0; i < 20; i++) expect((await edge.get("blog.test", { path: `/away/${i}` })).status).toBe(200);
  const away = async (): Promise<string[]> => (await textsOf(blog)).filter((text) => text.includes("/away/"));
  expect(await away()).toEqual([]);
  await whileKept(() => expect.poll(away, { timeout: 5_000 }).toHaveLength(20));
  await edge.get("blog.test", { path: "/back" });
  await whileKept(() => expect.poll(async () => (await textsOf(blog)).at(-1), { timeout: 5_000 }).toContain("/back"));
  expect(await away()).toHaveLength(20);
});

it("open requests are shown by app", async () => {
  const leaving = new AbortController();
  const open = edge.get("shop.test", { path: "/open", signal: leaving.signal }).catch(() => undefined);
  await whileKept(async (metrics) => {
    await expect.poll(metrics, { timeout: 5_000 }).toContain(`svc_app_requests_in_flight{app_id="${shop}"} 1`);
  });
  leaving.abort();
  await open;
});
