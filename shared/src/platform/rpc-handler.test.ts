import { once } from "node:events";
import { connect, createServer, type Http2Server, type OutgoingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Health, HealthCheckResponse_ServingStatus } from "../gen/health/v1/health_pb.ts";
import { silentLogger } from "./logger.ts";
import { createRpcHandler } from "./rpc-handler.ts";

let server: Http2Server;

beforeAll(async () => {
  const routes = { check: () => ({ status: HealthCheckResponse_ServingStatus.SERVING }) };
  server = createServer(createRpcHandler({ routes: (router) => router.service(Health, routes) }, silentLogger));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

async function statusOf(headers: OutgoingHttpHeaders): Promise<number | undefined> {
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const path = "/grpc.health.v1.Health/Check";
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json", ...headers });
  stream.end("{}");
  const [answer] = (await once(stream, "response")) as [{ ":status"?: number }];
  stream.resume();
  session.close();
  return answer[":status"];
}

test.each(["[", "host:port", "%", "a:99999"])("an authority of %j is answered with 400", async (authority) => {
  expect(await statusOf({ ":authority": authority })).toBe(400);
});

test.each(["//", "/[", "/\u00ff"])("a path of %j is answered with an error", async (path) => {
  expect(await statusOf({ ":path": path })).toBeGreaterThanOrEqual(400);
});

test("other requests are served", async () => expect(await statusOf({})).toBe(200));
