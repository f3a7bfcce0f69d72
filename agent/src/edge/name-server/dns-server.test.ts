import { createSocket } from "node:dgram";
import { connect, createServer, type AddressInfo } from "node:net";
import * as dns from "dns-packet";
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

it("UDP: an answer that is too long for a datagram says so, and comes whole over TCP", async () => {
  const answers = Array.from({ length: 60 }, (_, at) => ({
    type: "A" as const,
    name: "a.up.internal",
    data: `10.0.0.${at}`,
  }));
  const long = dns.encode({ type: "response", id: 7, questions: [{ type: "A", name: "a.up.internal" }], answers });
  const socket = createSocket("udp4");
  const received: Buffer[] = [];
  socket.on("message", (packet) => received.push(packet));
  socket.send(long, port, "127.0.0.1");
  await expect.poll(() => received.length).toBe(1);
  expect(dns.decode(received[0]!)).toMatchObject({ id: 7, flag_tc: true, answers: [] });
  socket.close();
  const whole = connect(port, "127.0.0.1");
  let bytes = 0;
  whole.on("data", (data) => (bytes += data.length));
  whole.write(Buffer.concat([Buffer.from([long.length >> 8, long.length & 255]), long]));
  await expect.poll(() => bytes).toBe(2 + long.length);
  whole.destroy();
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
