import { createServer } from "node:http";
import { UpstreamStates } from "@svc/agent/edge/upstream-states.ts";
import { watchUpstreams } from "@svc/agent/edge/watch-upstreams.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";

const app = newId();
let edge: TestEdge;
let upstream: Upstream;
let ending: AbortController;
let watching: Promise<void>;

beforeEach(async () => {
  edge = await startTestEdge();
  upstream = await startUpstream("app");
  await edge.proxy.setRoutes(app, [routeTo("app.test", app, upstream)]);
  ending = new AbortController();
  const upstreams = new UpstreamStates(systemClock);
  watching = watchUpstreams({ proxy: edge.proxy, upstreams, clock: systemClock, log, patienceMs: 500 }, ending.signal);
});
afterEach(async () => {
  ending.abort();
  await watching;
  await edge.cleanUp();
  await upstream.close();
});

const state = async (): Promise<string | undefined> => (await edge.proxy.routes())[0]?.state;

it("an app that does not listen is answered 503 with Retry-After at once, and served again when it does", async () => {
  await upstream.close();
  await expect.poll(state, { timeout: 15_000 }).toBe("failing");
  // Past what the proxy still remembers.
  await expect.poll(async () => (await edge.get("app.test")).status, { timeout: 5_000 }).toBe(503);
  const startedAt = performance.now();
  const answer = await edge.get("app.test", { method: "POST" });
  expect([answer.status, Number(answer.headers["retry-after"]) > 0]).toEqual([503, true]);
  expect(performance.now() - startedAt).toBeLessThan(1_000);

  const back = createServer((_req, res) => res.end("back"));
  await new Promise<void>((resolve) => back.listen(Number(upstream.upstream.split(":")[1]), "127.0.0.1", resolve));
  await expect.poll(async () => (await edge.get("app.test")).body, { timeout: 10_000 }).toBe("back");
  back.close();
  back.closeAllConnections();
});

it("an app that its owner has stopped stays stopped, whether it listens or not", async () => {
  await edge.proxy.setRoutes(app, [routeTo("app.test", app, upstream, "stopped")]);
  await upstream.close();
  await edge.proxy.setRoutes("other", [routeTo("other.test", "other", upstream)]);
  await expect
    .poll(async () => (await edge.proxy.routes()).map((route) => `${route.host} ${route.state}`), { timeout: 15_000 })
    .toEqual(["app.test stopped", "other.test failing"]);
});
