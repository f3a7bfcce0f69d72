import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { get as getHttp } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { connect as connectTls } from "node:tls";
import { undeployedRoutes } from "@svc/agent/edge/routes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLoad } from "../../support/platform/open-loop-load.ts";
import {
  internalCaFile,
  routeTo,
  startTestEdge,
  startUpstream,
  type TestEdge,
  type Upstream,
} from "../../support/platform/edge.ts";
import { handshake } from "../../support/doubles/young-certificate.ts";

let edge: TestEdge;
const upstreams: Upstream[] = [];

beforeAll(async () => {
  edge = await startTestEdge();
});

afterAll(async () => {
  await edge.cleanUp();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

async function upstream(...args: Parameters<typeof startUpstream>): Promise<Upstream> {
  const started = await startUpstream(...args);
  upstreams.push(started);
  return started;
}

describe("routes", () => {
  it("a switch is proven within a second and leads to the new container", async () => {
    const [first, second] = [await upstream("first"), await upstream("second")];
    await edge.proxy.setRoutes("app-1", [routeTo("switch.test", "app-1", first)]);
    await edge.proxy.prove("switch.test", first.upstream, AbortSignal.timeout(5_000));
    expect((await edge.get("switch.test")).body).toBe("first");

    const startedAt = performance.now();
    await edge.proxy.setRoutes("app-1", [routeTo("switch.test", "app-1", second)]);
    await edge.proxy.prove("switch.test", second.upstream, AbortSignal.timeout(5_000));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect((await edge.get("switch.test")).body).toBe("second");
  });

  it("six switches under 300 requests a second lose none", async () => {
    const containers = [await upstream("blue"), await upstream("green")] as const;
    await edge.proxy.setRoutes("app-load", [routeTo("load.test", "app-load", containers[0])]);
    const { internalCaPem } = await edge.proxy.describe();
    const load = await startLoad({ host: "load.test", port: edge.httpsPort, ca: internalCaPem, perSecond: 300 });
    for (let round = 1; round <= 6; round++) {
      const next = containers[round % 2]!;
      await expect.poll(() => load.sent(), { timeout: 10_000 }).toBeGreaterThan(round * 250);
      await edge.proxy.setRoutes("app-load", [routeTo("load.test", "app-load", next)]);
      await edge.proxy.prove("load.test", next.upstream, AbortSignal.timeout(5_000));
    }
    const result = await load.stop();
    expect(result.failures).toEqual({});
    expect(result.ok).toBe(result.sent);
    expect(result.sent).toBeGreaterThan(1_000);
    expect(Object.keys(result.answers).sort()).toEqual(["blue", "green"]);
  });

  it("the open stream and WebSocket of one app live through another app's switch", async () => {
    const streaming = await upstream("streaming", (req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => res.write(`data: ${Date.now()}\n\n`), 50);
      req.on("close", () => clearInterval(timer));
    });
    streaming.server.on("upgrade", (_req, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      socket.pipe(socket);
      socket.on("error", () => {});
    });
    const [before, after] = [await upstream("before"), await upstream("after")];
    await edge.proxy.setRoutes("app-stream", [routeTo("stream.test", "app-stream", streaming)]);
    await edge.proxy.setRoutes("app-other", [routeTo("other.test", "app-other", before)]);
    const events = await openTls("stream.test", "GET /events HTTP/1.1\r\nHost: stream.test\r\n\r\n");
    const echo = await openTls(
      "stream.test",
      "GET /ws HTTP/1.1\r\nHost: stream.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    await echo.sees("101 Switching Protocols");
    await events.sees("data: ");
    expect(await edge.proxy.requestsInFlight(streaming.upstream)).toBe(2);

    await edge.proxy.setRoutes("app-other", [routeTo("other.test", "app-other", after)]);
    await edge.proxy.prove("other.test", after.upstream, AbortSignal.timeout(5_000));

    echo.socket.write("still here");
    await echo.sees("still here");
    const received = events.received().length;
    await expect.poll(() => events.received().length).toBeGreaterThan(received);
    for (const { socket } of [events, echo]) socket.destroy();
    await expect.poll(() => edge.proxy.requestsInFlight(streaming.upstream)).toBe(0);
  });

  it("what an app sends without a length arrives before its end", async () => {
    let end = (): void => {};
    const slow = await upstream("slow", (_req, res) => {
      res.writeHead(200, { "content-type": "text/plain" });
      res.write("first part");
      end = () => res.end();
    });
    await edge.proxy.setRoutes("app-slow", [routeTo("slow.test", "app-slow", slow)]);
    const client = await openTls("slow.test", "GET / HTTP/1.1\r\nHost: slow.test\r\n\r\n");
    await expect.poll(() => client.received(), { timeout: 5_000 }).toContain("first part");
    end();
    client.socket.destroy();
  });

  it("an app sees who asked for what, and cannot be lied to about it", async () => {
    const headers = await upstream("headers", (req, res) => res.end(JSON.stringify(req.headers)));
    await edge.proxy.setRoutes("app-headers", [routeTo("headers.test", "app-headers", headers)]);
    const { body } = await edge.get("headers.test", {
      headers: {
        host: "headers.test",
        "x-forwarded-for": "6.6.6.6",
        "x-forwarded-proto": "http",
        "x-forwarded-host": "evil.test",
        "x-forwarded-port": "1",
        "x-forwarded-prefix": "/evil",
        forwarded: "for=6.6.6.6",
        x_forwarded_for: "6.6.6.6",
        "x-forwarded_proto": "http",
        "x_forwarded-host": "evil.test",
        x_real_ip: "6.6.6.6",
        "x-real-ip": "6.6.6.6",
        "x-own": "kept",
      },
    });
    const { "accept-encoding": _, connection: __, ...seen } = JSON.parse(body) as Record<string, string>;
    expect(seen).toEqual({
      host: "headers.test",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "headers.test",
      "x-own": "kept",
    });
  });

  it("only a request with the agent's secret is told which container answered", async () => {
    const target = await upstream("target", (req, res) => res.end(JSON.stringify(req.headers)));
    await edge.proxy.setRoutes("app-secret", [routeTo("secret.test", "app-secret", target)]);
    const guess = await edge.get("secret.test", { headers: { host: "secret.test", "x-svc-probe": "guess" } });
    expect(guess.headers["x-svc-upstream"]).toBeUndefined();
    const secret = (await readFile(`${edge.dataDirectory}/probe-secret`, "utf8")).trim();
    const probe = await edge.get("secret.test", { headers: { host: "secret.test", "x-svc-probe": secret } });
    expect(probe.headers["x-svc-upstream"]).toContain("127-0-0-1.up.internal");
    expect(probe.body).not.toContain(secret);
  });
});

it("a POST that reached the app is never sent twice", async () => {
  const broken = await upstream("broken", (req) => req.socket.destroy());
  await edge.proxy.setRoutes("app-post", [routeTo("post.test", "app-post", broken)]);
  expect((await edge.get("post.test", { method: "POST" })).status).toBe(502);
  expect(broken.requests).toBe(1);
});

it("the proxy closes an idle connection to an app before the app does, so that no POST meets the app's end of it", async () => {
  const idle = await upstream("idle");
  const connections: { closedByProxy: boolean }[] = [];
  idle.server.on("connection", (socket) => {
    const connection = { closedByProxy: false };
    connections.push(connection);
    socket.on("end", () => (connection.closedByProxy = true));
  });
  await edge.proxy.setRoutes("app-idle", [routeTo("idle.test", "app-idle", idle)]);
  expect((await edge.get("idle.test", { method: "POST" })).body).toBe("idle");
  // This is shorter than the 2 s of the servers that wait least.
  await expect.poll(() => connections, { timeout: 1_900 }).toEqual([{ closedByProxy: true }]);
});

describe("hosts without a container", () => {
  it("an unknown host is answered 404 at once", async () => {
    const known = await upstream("known");
    await edge.proxy.setRoutes("app-known", [routeTo("known.test", "app-known", known)]);
    for (const host of [
      "unknown.test",
      "a_b.test",
      "..",
      "-",
      "127.0.0.1",
      "[::1]",
      `${"a".repeat(64)}.test`,
      "known.test:1.evil.test",
      "known.test:",
    ]) {
      const startedAt = performance.now();
      const answer = await edge.get("known.test", { headers: { host } });
      expect([host, answer.status]).toEqual([host, 404]);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    }
    const long = Array.from({ length: 4 }, () => "a".repeat(62)).join(".");
    expect((await edge.get("known.test", { headers: { host: long } })).status).toBe(404);
  });

  it("a stopped app is answered 503 with Retry-After at once, and its certificate stays valid", async () => {
    const stopped = await upstream("stopped");
    await edge.proxy.setRoutes("app-stopped", [routeTo("stopped.test", "app-stopped", stopped, "stopped")]);
    const startedAt = performance.now();
    const answer = await edge.get("stopped.test");
    expect(answer.status).toBe(503);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(stopped.requests).toBe(0);
  });
});

it("a host of an app that was never deployed is answered 503 with Retry-After, under a certificate of its own", async () => {
  await edge.proxy.setRoutes("app-new", undeployedRoutes({ appId: "app-new" }, [{ host: "new.test" }]));
  const answer = await edge.get("new.test");
  expect(answer).toMatchObject({ status: 503, body: expect.stringContaining("Not deployed") as string });
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
});

describe("certificates", () => {
  it("the chain verifies against internal-ca.pem, which everybody may read", async () => {
    const served = await upstream("served");
    await edge.proxy.setRoutes("app-cert", [routeTo("cert.test", "app-cert", served)]);
    const ca = await readFile(internalCaFile(edge), "utf8");
    expect((await edge.get("cert.test", { ca })).body).toBe("served");
    await expect(edge.get("cert.test", { ca: undefined })).rejects.toThrow(/certificate/);
    expect((await stat(internalCaFile(edge))).mode & 0o777).toBe(0o644);
    expect((await edge.proxy.describe()).internalCaPem).toBe(ca);
  });

  it("a name that no route has gets no certificate", async () => {
    await expect(edge.get("nobody.test")).rejects.toThrow(/alert|EPROTO|ECONNRESET|disconnected/i);
  });
});

it("plain HTTP is sent to HTTPS on its port, path and query kept", async () => {
  const answer = await new Promise<{ status: number | undefined; location: string | undefined }>((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: edge.httpPort,
      path: "/a?b=c",
      headers: { host: "x.test" },
      agent: false,
    };
    getHttp(options, (res) => {
      res.resume();
      resolve({ status: res.statusCode, location: res.headers.location });
    }).on("error", reject);
  });
  expect(answer).toEqual({ status: 308, location: `https://x.test:${edge.httpsPort}/a?b=c` });
});

it("a route that cannot be proven says what was seen, and an abort ends the proof", async () => {
  const alive = await upstream("alive");
  await edge.proxy.setRoutes("app-proof", [routeTo("proof.test", "app-proof", alive)]);
  await expect(edge.proxy.prove("proof.test", "127.0.0.1:9", AbortSignal.timeout(5_000))).rejects.toMatchObject({
    code: "route_not_proven",
  });
  await alive.close();
  const reason = new Error("canceled");
  const canceling = new AbortController();
  const asked = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    socket.on("error", () => undefined);
    asked.resolve();
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const to = { name: "silent", upstream: `127.0.0.1:${(silent.address() as AddressInfo).port}` };
  await edge.proxy.setRoutes("app-proof", [routeTo("proof.test", "app-proof", to)]);
  const proof = edge.proxy.prove("proof.test", to.upstream, canceling.signal);
  void asked.promise.then(() => canceling.abort(reason));
  await expect(proof).rejects.toBe(reason);
  await edge.proxy.setRoutes("app-proof", []);
  silent.close();
});

/** A raw connection, to see bytes as they arrive. */
async function openTls(host: string, send: string) {
  const { internalCaPem: ca } = await edge.proxy.describe();
  await handshake({ host, port: edge.httpsPort, ca });
  const socket = connectTls({ host: "127.0.0.1", port: edge.httpsPort, servername: host, ca });
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => {});
  socket.write(send);
  return {
    socket,
    received: () => text,
    sees: (part: string) => expect.poll(() => text, { timeout: 5_000 }).toContain(part),
  };
}
