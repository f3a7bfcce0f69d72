import { Agent, type RequestOptions } from "node:https";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";

const ROUTES = 500;
const APP = "many";

let edge: TestEdge;
let containers: [Upstream, Upstream];
// All hosts as one name's, over few connections: certificates are not what is tested.
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const hosts = Array.from({ length: ROUTES }, (_, i) => `app-${i}.test`);

beforeAll(async () => {
  edge = await startTestEdge();
  containers = [await startUpstream("former"), await startUpstream("new")];
});
afterAll(async () => {
  agent.destroy();
  await edge.cleanUp();
  await Promise.all(containers.map((container) => container.close()));
});

async function get(host: string): Promise<string> {
  const options: RequestOptions = { servername: hosts[0], headers: { host }, agent };
  const { status, body } = await edge.get(host, options);
  return `${status} ${body}`;
}

it("500 routes all answer, and all follow one switch within a second", async () => {
  const leadTo = (container: Upstream): Promise<void> =>
    edge.proxy.setRoutes(
      APP,
      hosts.map((host) => routeTo(host, APP, container)),
    );
  await leadTo(containers[0]);
  expect(new Set(await Promise.all(hosts.map(get)))).toEqual(new Set(["200 former"]));
  await leadTo(containers[1]);
  const switchedAt = performance.now();
  await expect.poll(() => get(hosts[0]!), { interval: 10, timeout: 5_000 }).toBe("200 new");
  expect(performance.now() - switchedAt).toBeLessThan(1_000);
  expect(new Set(await Promise.all(hosts.map(get)))).toEqual(new Set(["200 new"]));
});
