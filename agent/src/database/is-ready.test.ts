import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { isPostgresReady } from "./is-ready.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** A server that sends this to whoever begins a session. */
async function answering(answer: string): Promise<number> {
  server = createServer((socket) => socket.on("data", () => socket.end(answer, "latin1")).on("error", () => undefined));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

const error = (code: string): string => `E\0\0\0\x40SFATAL\0VFATAL\0C${code}\0Mwhatever\0\0`;

test.each([
  { what: "asks for a password", answer: "R\0\0\0\x17\0\0\0\nSCRAM-SHA-256\0\0", isReady: true },
  { what: "knows nobody of that name", answer: error("28000"), isReady: true },
  { what: "has no connection left", answer: error("53300"), isReady: true },
  { what: "starts, or recovers", answer: error("57P03"), isReady: false },
  { what: "ends without a word", answer: "", isReady: false },
])("a PostgreSQL that $what is ready: $isReady", async ({ answer, isReady }) => {
  expect(await isPostgresReady("127.0.0.1", await answering(answer))).toBe(isReady);
});

test("nobody who listens is not ready", async () => {
  const port = await answering("");
  server!.close();
  expect(await isPostgresReady("127.0.0.1", port)).toBe(false);
});
