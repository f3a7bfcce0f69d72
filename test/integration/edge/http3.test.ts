import { readFile } from "node:fs/promises";
import { INTERNAL_ONLY } from "@svc/agent/edge/certificates/certificate-policy.ts";
import { createProxy } from "@svc/agent/edge/proxy.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestEdge, type TestEdge } from "../../support/platform/edge.ts";
import { servesHttp3 } from "../../support/platform/serves-http3.ts";
import { keepLogged } from "../../support/tools/logged.ts";

let edge: TestEdge;
const { log, logged } = keepLogged();
const errors = () => logged.filter(({ level }) => level === "error").map(({ text }) => text);

beforeEach(async () => {
  logged.length = 0;
  edge = await startTestEdge({ log });
});
afterEach(() => edge.cleanUp());

/** Whether a socket listens for HTTP/3: column 2 is address:port in hexadecimal (proc(5)). */
async function isListening(): Promise<boolean> {
  const tables = await Promise.all(
    ["udp", "udp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const port = edge.httpsPort.toString(16).toUpperCase().padStart(4, "0");
  return rows.some((row) => row[1]?.endsWith(`:${port}`));
}

it("HTTP/3 is served from Caddy 2.7 on, and never before, also after a change of the configuration and a restart", async () => {
  const wanted = await servesHttp3();
  expect(await isListening()).toBe(wanted);
  await edge.proxy.setCertificatePolicy(INTERNAL_ONLY);
  expect(await isListening()).toBe(wanted);
  await createProxy({ ...edge.options, upstreamCacheMs: 150 }).ensureRunning();
  expect(await isListening()).toBe(wanted);
  await edge.proxy.shutDown();
  expect(await isListening()).toBe(false);
  await createProxy(edge.options).ensureRunning();
  expect(await isListening()).toBe(wanted);
  expect(errors()).toEqual([]);
});
