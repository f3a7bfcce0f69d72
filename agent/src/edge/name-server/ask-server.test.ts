import { once } from "node:events";
import { request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAskServer } from "./ask-server.ts";

let server: Server;

beforeEach(async () => {
  server = createAskServer({ mayHave: () => false, describe: () => ({}) }, () => ({})).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => server.close());

async function get(path: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const req = request({ host: "127.0.0.1", port, path, agent: false }).end();
  const [res] = (await once(req, "response")) as [{ statusCode: number; resume(): void }];
  res.resume();
  return res.statusCode;
}

it("a request that can't be read gets no permission, and ends nothing", async () => {
  server.close();
  const failing = (): never => {
    throw new Error("no table");
  };
  server = createAskServer({ mayHave: failing, describe: failing }, () => ({})).listen(0, "127.0.0.1");
  await once(server, "listening");
  expect(await get("/ask?domain=a.test")).toBe(503);
  expect(await get("/certificate?domain=a.test")).toBe(503);
  expect(await get("/healthz")).toBe(200);
});

it("a path that is no URL is refused, and the next request is answered", async () => {
  expect(await get("//")).toBe(400);
  expect(await get("/healthz")).toBe(200);
});

it("a refusal waits its time, a permission does not, and no more than 500 wait", async () => {
  server.close();
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  const desk = { mayHave: (domain: string) => domain === "mine.test", describe: () => ({}) };
  const wait = (): Promise<void> => ((waiting += 1), promise);
  server = createAskServer(desk, () => ({}), wait).listen(0, "127.0.0.1");
  await once(server, "listening");
  const refused = Array.from({ length: 501 }, () => get("/ask?domain=nobodys.test"));
  // All but one wait: that one is answered.
  expect(await Promise.race(refused)).toBe(404);
  expect(await get("/ask?domain=mine.test")).toBe(200);
  expect(waiting).toBe(500);
  resolve();
  expect(new Set(await Promise.all(refused))).toEqual(new Set([404]));
  waiting = 0;
  expect(await get("/ask?domain=nobodys.test")).toBe(404);
  expect(waiting).toBe(1);
});
