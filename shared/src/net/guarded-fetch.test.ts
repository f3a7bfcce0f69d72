import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SvcError } from "../errors.ts";
import { createGuardedFetch, OutboundError } from "./guarded-fetch.ts";

const publicOnly = createGuardedFetch({ allowCidrs: [], caPem: "", dnsServers: [] });
const withLoopback = createGuardedFetch({ allowCidrs: ["127.0.0.0/8"], caPem: "", dnsServers: [] });
const octet = fc.integer({ min: 0, max: 255 });

const reached: string[] = [];
const server = createServer((request, response) => {
  reached.push(request.url ?? "");
  if (request.url === "/hang") return;
  if (request.url === "/redirect") return void response.writeHead(302, { location: "/target" }).end();
  if (request.url === "/huge") {
    response.on("error", () => undefined);
    const more = (): void => void response.write("x".repeat(65_536), (error) => error || more());
    return more();
  }
  response.end("ok");
});
let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const send = (client: typeof publicOnly, url: string, timeoutMs = 5_000) =>
  client.send({ url: new URL(url), method: "GET", timeoutMs });

describe("a forbidden address", () => {
  it.each([
    "localhost",
    "hooks.localhost",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "①②⑦.0.0.1",
  ])("is not reached as %s", async (host) => {
    reached.length = 0;
    await expect(send(publicOnly, `http://${host}:${port}/`)).rejects.toThrow(OutboundError);
    expect(reached).toEqual([]);
  });

  it.each(["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "100.100.100.200"])(
    "is named with its reason: %s",
    async (host) => {
      const { hostname } = new URL(`https://${host}`);
      await expect(publicOnly.addressesOf(hostname)).rejects.toThrow(/ is .*SVC_OUTBOUND_ALLOW/);
    },
  );

  it("is refused in every notation that a URL may have for it", async () => {
    const notation = fc.constantFrom(
      (n: number) => String(n),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0${n.toString(8)}`,
      (n: number) => `[::ffff:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}]`,
      (n: number) => `${n >>> 24}.${n & 0xffffff}`,
    );
    const forbidden = fc.constantFrom([10], [127], [169, 254], [192, 168], [172, 16], [0]);
    await fc.assert(
      fc.asyncProperty(forbidden, octet, octet, octet, notation, async (head, b, c, d, write) => {
        const bytes = [...head, b, c, d].slice(0, 4);
        const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
        const { hostname } = new URL(`https://${write(number)}/`);
        await expect(publicOnly.addressesOf(hostname)).rejects.toThrow(OutboundError);
      }),
    );
  });
});

describe("a request", () => {
  it("reaches what the policy allows", async () => {
    expect(await send(withLoopback, `http://127.0.0.1:${port}/`)).toEqual({ status: 200 });
    expect(await send(withLoopback, `http://localhost:${port}/`)).toEqual({ status: 200 });
  });

  it("follows no redirect", async () => {
    reached.length = 0;
    expect(await send(withLoopback, `http://127.0.0.1:${port}/redirect`)).toEqual({ status: 302 });
    expect(reached).toEqual(["/redirect"]);
  });

  it("does not wait for a body without end", async () => {
    expect(await send(withLoopback, `http://127.0.0.1:${port}/huge`)).toEqual({ status: 200 });
  });

  it("ends at its time limit", async () => {
    await expect(send(withLoopback, `http://127.0.0.1:${port}/hang`, 200)).rejects.toThrow(
      "There was no answer within 0.2 s.",
    );
  });

  it("ends with its caller's reason when it is given up", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const request = { url: new URL(`http://127.0.0.1:${port}/hang`), method: "GET" as const, timeoutMs: 5_000, signal };
    await expect(withLoopback.send(request)).rejects.toThrow("enough");
  });

  it("says what went wrong where nothing listens", async () => {
    await expect(send(withLoopback, "http://127.0.0.1:1/")).rejects.toThrow(/refused/);
  });
});

describe("an answer that is received", () => {
  const receive = (path: string, signal?: AbortSignal) => ({
    url: new URL(`http://127.0.0.1:${port}${path}`),
    method: "GET" as const,
    timeoutMs: 5_000,
    ...(signal ? { signal } : {}),
  });

  it("is read for as long as it comes, beyond the time that its headers have", async () => {
    let bytes = 0;
    const startedAt = performance.now();
    await withLoopback.receive({ ...receive("/huge"), timeoutMs: 500 }, async ({ body }) => {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (performance.now() - startedAt > 700) break;
      }
    });
    expect(bytes).toBeGreaterThan(65_536);
  });

  it("ends with its caller's reason when it is given up, and with the reader's own error", async () => {
    const stop = new AbortController();
    const given = withLoopback.receive(receive("/huge", stop.signal), async ({ body }) => {
      for await (const chunk of body) if (chunk.length > 0) stop.abort(new Error("enough"));
    });
    await expect(given).rejects.toThrow("enough");
    const full = new SvcError("disk_full", "The disk is full.");
    await expect(withLoopback.receive(receive("/"), () => Promise.reject(full))).rejects.toBe(full);
  });

  it("comes from no forbidden address", async () => {
    reached.length = 0;
    await expect(publicOnly.receive(receive("/"), () => Promise.resolve())).rejects.toThrow(/is loopback/);
    expect(reached).toEqual([]);
  });
});
