import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CliError } from "../output/cli-error.ts";
import { patientFetch } from "./patient-fetch.ts";

type Answer = (res: ServerResponse) => void;

/** One for each request, in order; the last is repeated. */
let answers: Answer[];
let requests: { method: string; headers: IncomingMessage["headers"]; body: string }[];
let waits: number[];
let url: string;

const server = createServer((req, res) => {
  let body = "";
  req.setEncoding("utf8").on("data", (text: string) => (body += text));
  req.on("end", () => {
    requests.push({ method: req.method!, headers: req.headers, body });
    (answers.length > 1 ? answers.shift()! : answers[0]!)(res);
  });
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  [requests, waits] = [[], []];
});

const breaks: Answer = (res) => res.destroy();
const json =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (res) =>
    res.writeHead(status, { "Content-Type": "application/json", ...headers }).end("{}");
const page =
  (status: number): Answer =>
  (res) =>
    res.writeHead(status, { "Content-Type": "text/html" }).end("<h1>Bad gateway</h1>");

function send(method: string, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request(`${url}/api/apps`, { method, headers, ...(method === "GET" ? {} : { body: '{"a":1}' }) });
  return patientFetch({ url, onWait: (seconds) => waits.push(seconds) })(request);
}
const KEY = { "Idempotency-Key": "one" };

test.each([
  ["GET", {}],
  ["PUT", {}],
  ["POST", KEY],
])("%s is sent again, body and key included, when the connection breaks", async (method, headers) => {
  answers = [breaks, json(200)];
  expect((await send(method, headers)).status).toBe(200);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toMatchObject({ body: requests[0]!.body, method });
  expect(requests[1]!.headers["idempotency-key"]).toBe(requests[0]!.headers["idempotency-key"]);
});

test("a POST that could do a thing twice is not sent again", async () => {
  answers = [breaks, json(200)];
  await expect(send("POST")).rejects.toMatchObject({ code: "unreachable", exit: 4 });
  expect(requests).toHaveLength(1);
});

test("a request that was sent again and still runs is waited for", async () => {
  answers = [breaks, json(409, { "Retry-After": "0" }), json(409, { "Retry-After": "0" }), json(201)];
  expect((await send("POST", KEY)).status).toBe(201);
  expect(waits).toEqual([]);
});

test("a refusal is an answer: it is not sent again", async () => {
  answers = [json(409, { "Retry-After": "0" })];
  expect((await send("POST", KEY)).status).toBe(409);
  expect(requests).toHaveLength(1);
});

test("a 429 is waited out, and said", async () => {
  answers = [json(429, { "Retry-After": "0" }), json(200)];
  expect((await send("POST")).status).toBe(200);
  expect([requests.length, waits]).toEqual([2, [0]]);
});

test.each(["3600", "soon"])("a 429 that asks for %s ends with a sentence", async (after) => {
  answers = [json(429, { "Retry-After": after })];
  await expect(send("GET")).rejects.toThrow("wait longer than svc does");
});

test("a page of a proxy means that the service is away; its own 503 is an answer", async () => {
  answers = [json(503)];
  expect((await send("GET")).status).toBe(503);
  answers = [page(502), json(200)];
  expect((await send("GET")).status).toBe(200);
  answers = [page(502)];
  const error = await send("POST").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CliError);
  expect(error).toMatchObject({ exit: 4, message: expect.stringContaining("502") as string });
});

test("a redirect is not followed: the key would go with it", async () => {
  answers = [(res) => res.writeHead(302, { location: `${url}/elsewhere` }).end()];
  await expect(send("POST")).rejects.toMatchObject({ code: "unreachable" });
  expect(requests).toHaveLength(1);
});
