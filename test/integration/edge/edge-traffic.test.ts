import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";
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

async function serve(name: string, listener: RequestListener): Promise<Upstream> {
  const upstream = await startUpstream(name, listener);
  upstreams.push(upstream);
  await edge.proxy.setRoutes(name, [routeTo(`${name}.test`, name, upstream)]);
  const { internalCaPem: ca } = await edge.proxy.describe();
  await handshake({ host: `${name}.test`, port: edge.httpsPort, ca });
  return upstream;
}

async function open(name: string, headers: Record<string, string> = {}, method = "GET") {
  const { internalCaPem } = await edge.proxy.describe();
  const host = `${name}.test`;
  const options = { host: "127.0.0.1", port: edge.httpsPort, servername: host, ca: internalCaPem, agent: false };
  return request({ ...options, method, headers: { host, ...headers } });
}

async function fetchBytes(name: string, headers: Record<string, string>) {
  const req = await open(name, headers);
  req.end();
  const [res] = (await once(req, "response")) as [
    AsyncIterable<Buffer> & { headers: IncomingHttpHeaders; statusCode: number },
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk);
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(chunks) };
}

const TEXT = "All work and no play makes Jack a dull boy. ".repeat(100);

describe("compression", () => {
  beforeAll(async () => {
    await serve("texts", (req, res) => {
      res.setHeader("content-type", req.headers["x-type"] ?? "text/html; charset=utf-8");
      if (req.headers["x-encoded"]) res.setHeader("content-encoding", "br");
      if (req.headers.range)
        res.writeHead(206, { "content-range": `bytes 0-999/${TEXT.length}` }).end(TEXT.slice(0, 1000));
      else res.end(req.headers["x-short"] ? "short" : TEXT);
    });
  });

  it("text is compressed by what the client takes, and arrives as it was", async () => {
    const gzip = await fetchBytes("texts", { "accept-encoding": "gzip" });
    expect([gzip.headers["content-encoding"], gzip.headers.vary]).toEqual(["gzip", "Accept-Encoding"]);
    expect(gunzipSync(gzip.body).toString()).toBe(TEXT);
    const zstd = await fetchBytes("texts", { "accept-encoding": "gzip, deflate, br, zstd" });
    expect(zstd.headers["content-encoding"]).toBe("zstd");
    expect(zstdDecompressSync(zstd.body).toString()).toBe(TEXT);
    expect((await fetchBytes("texts", {})).headers["content-encoding"]).toBeUndefined();
  });

  it.each([
    ["an image", { "x-type": "image/png" }],
    ["an archive", { "x-type": "application/zip" }],
    ["an event stream", { "x-type": "text/event-stream" }],
    ["a short text", { "x-short": "1" }],
    ["a part of a file", { range: "bytes=0-999" }],
  ])("%s is left as it is", async (_, headers) => {
    const answer = await fetchBytes("texts", { "accept-encoding": "gzip, zstd", ...headers });
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(TEXT.startsWith(answer.body.toString()) || answer.body.toString() === "short").toBe(true);
  });

  it("what the app has compressed is not compressed again", async () => {
    const answer = await fetchBytes("texts", { "accept-encoding": "gzip, zstd, br", "x-encoded": "1" });
    expect(answer.headers["content-encoding"]).toBe("br");
    expect(answer.body.toString()).toBe(TEXT);
  });

  it("an event arrives when it is sent, whatever the client accepts", async () => {
    let end = (): void => {};
    await serve("sent", (_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write("data: 1\n\n");
      end = () => res.end();
    });
    const req = await open("sent", { "accept-encoding": "gzip, zstd" });
    req.end();
    const [res] = await once(req, "response");
    expect(String((await once(res, "data"))[0])).toBe("data: 1\n\n");
    end();
    res.resume();
    await once(res, "end");
  });
});

describe("what clients send", () => {
  it("an upload reaches the app while it is sent, whole, and with pauses", async () => {
    const seen: number[] = [];
    await serve("upload", (req, res) => {
      const hash = createHash("sha256");
      req.on("data", (chunk: Buffer) => {
        seen.push(chunk.length);
        hash.update(chunk);
      });
      req.on("end", () => res.end(hash.digest("hex")));
    });
    const req = await open("upload", {}, "POST");
    const part = Buffer.alloc(1024 * 1024, "u");
    const expected = createHash("sha256");
    req.flushHeaders();
    for (let i = 0; i < 8; i++) {
      expected.update(part);
      req.write(part);
      await expect.poll(() => seen.reduce((sum, bytes) => sum + bytes, 0)).toBe((i + 1) * part.length);
    }
    req.end();
    const [res] = await once(req, "response");
    expect(String((await once(res, "data"))[0])).toBe(expected.digest("hex"));
  });

  it("a header beyond the limit is refused, one within it reaches the app", async () => {
    await serve("headers", (req, res) => res.end(String(req.headers["x-long"]?.length)));
    expect((await fetchBytes("headers", { "x-long": "x".repeat(12_000) })).body.toString()).toBe("12000");
    expect((await fetchBytes("headers", { "x-long": "x".repeat(100_000) })).status).toBe(431);
  });

  it("a body that is declared beyond the limit is refused and never reaches the app", async () => {
    let bytes = 0;
    await serve("large", (req, res) => {
      req.on("data", (chunk: Buffer) => (bytes += chunk.length));
      req.on("end", () => res.end("taken"));
    });
    const req = await open("large", { "content-length": String(11 * 1024 ** 3) }, "POST");
    req.on("error", () => {});
    req.flushHeaders();
    req.write("x");
    await delay(0);
    const [res] = await once(req, "response");
    expect(res.statusCode).toBe(413);
    req.destroy();
    expect(bytes).toBeLessThan(2);
  });
});
