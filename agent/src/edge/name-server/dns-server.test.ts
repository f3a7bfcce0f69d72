import { createSocket } from "node:dgram";
import { connect, createServer, type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listenForDns } from "./dns-server.ts";

let port: number;
let server: { close(): void };

beforeEach(async () => {
  for (;;) {
    port = await somePort();
    const started = await listenForDns(port, (packet) => (packet.length > 1 ? packet : undefined)).catch(
      () => undefined,
    );
    if (!started) continue;
    server = started;
    return;
  }
});

afterEach(() => server.close());

it("UDP: each packet gets its answer, an ignored one gets none", async () => {
  const socket = createSocket("udp4");
  const received: string[] = [];
  socket.on("message", (packet) => received.push(packet.toString()));
  for (const text of ["x", "one", "two"]) socket.send(text, port, "127.0.0.1");
  await expect.poll(() => received.toSorted()).toEqual(["one", "two"]);
  socket.close();
});

it("TCP: packets that arrive in pieces, or together, get their answers", async () => {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => (received += data.toString("latin1")));
  const framed = Buffer.from("\0\u0003one\0\u0003two", "latin1");
  for (const byte of framed) socket.write(Buffer.from([byte]));
  await expect.poll(() => received).toBe(framed.toString("latin1"));
  socket.destroy();
});

it("TCP: a packet that never ends is not kept", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.alloc(5_000)]));
  await expect.poll(() => socket.closed).toBe(true);
});

async function somePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
