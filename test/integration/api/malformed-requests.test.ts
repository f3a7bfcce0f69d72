import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen, type ApiListener } from "@svc/control-plane/api/listener.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { keepLogged } from "../../support/tools/logged.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
let listener: ApiListener;
const { log, logged } = keepLogged();

beforeAll(async () => {
  http = await startTestApi({ unchecked: true });
  const address = { host: "127.0.0.1", port: 0 };
  listener = await listen(http.api, { address, tls: undefined, log });
});
afterAll(async () => {
  await listener?.close();
  await http?.stop();
});

/** Sends the bytes as they are, and reads until the server closes the connection; a server that hangs fails the test. */
async function send(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(listener.address.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => undefined);
  socket.setTimeout(5_000, () => socket.destroy(new Error("the server keeps the connection open")));
  socket.write(text);
  await once(socket, "close");
  const [head = "", body = ""] = Buffer.concat(chunks).toString("latin1").split("\r\n\r\n", 2);
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, body };
}

const headers = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: b\r\n`).join("");

test.each([
  ["a header that is too long", `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`, 431],
  ["an address that is too long", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ["too many headers", `GET /healthz HTTP/1.1\r\nHost: a\r\n${headers(5_000)}\r\n`, 431],
  ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  ["a Host that is none", "GET /healthz HTTP/1.1\r\nHost: a b/c\r\nConnection: close\r\n\r\n", 400],
  ["a method that there is not", "FETCH /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["a NUL in a header", "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n", 400],
  [
    "a body with two lengths",
    "POST /api/apps HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  ["something else than HTTP", "\x16\x03\x01hello\r\n\r\n", 400],
])("%s is refused with JSON, a sentence and a request id", async (_what, text, status) => {
  promise("errors", "every error is JSON with a message");
  const answer = await send(text);
  expect(answer.status).toBe(status);
  expect(answer.head).toMatch(/\r\nContent-Type: application\/json\r\n/i);
  expect(answer.head).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/i);
  expect(JSON.parse(answer.body)).toEqual({ error: "invalid_request", detail: expect.stringMatching(/\.$/) });
});

test("the log of a malformed request has the reason, and none of its bytes: they hold an API key", async () => {
  const { key } = await http.addCaller();
  logged.length = 0;
  const filling = "a".repeat(20_000);
  await send(`GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Long: ${filling}\r\n\r\n`);
  const fields = { request_id: expect.any(String), status: 431, reason: "Parse Error: Header overflow" };
  expect(logged).toEqual([{ level: "info", fields, text: "malformed request" }]);
});

test("an expectation that nobody can meet is refused with JSON", async () => {
  const answer = await send("POST /api/apps HTTP/1.1\r\nHost: a\r\nExpect: cake\r\nConnection: close\r\n\r\n");
  expect([answer.status, answer.body]).toEqual([417, expect.stringContaining('"error":"invalid_request"')]);
});

test("none of many headers is dropped: the key that comes last still counts", async () => {
  const { key } = await http.addCaller();
  const text = `GET /api/apps HTTP/1.1\r\nHost: a\r\n${"a:b\r\n".repeat(2_200)}Authorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
  const { status, body } = await send(text);
  expect([status, body]).toEqual([200, '{"apps":[]}']);
});

test("nonsense after a request does not end up in that request's answer", async () => {
  const answer = await send("GET /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n");
  expect(answer.body).not.toContain("invalid_request");
});

test("the server still answers after all of that", async () => {
  const { status, body } = await send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect([status, body]).toEqual([200, '{"status":"ok"}']);
});
