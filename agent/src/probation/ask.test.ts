import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { askUpstream } from "./ask.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function appThat(answers: (socket: Socket) => void): Promise<{ address: string; port: number; host: string }> {
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => answers(socket));
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return { address: "127.0.0.1", port: (server.address() as AddressInfo).port, host: "shop.test" };
}

const ask = (upstream: Awaited<ReturnType<typeof appThat>>, ms = 5_000) =>
  askUpstream(upstream, AbortSignal.timeout(ms));
const status = (line: string) => (socket: Socket) =>
  void socket.end(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);

test.each(["200 OK", "404 Not Found", "500 Internal Server Error", "502 Bad Gateway"])(
  "%s is an answer",
  async (line) => {
    expect(await ask(await appThat(status(line)))).toBe("answered");
  },
);

test("a connection that is closed or reset without an answer, or refused, is broken", async () => {
  expect(await ask(await appThat((socket) => socket.end()))).toBe("broken");
  expect(await ask(await appThat((socket) => socket.resetAndDestroy()))).toBe("broken");
  const gone = await appThat(() => undefined);
  await new Promise((resolve) => servers.at(-1)!.close(resolve));
  expect(await ask(gone)).toBe("broken");
});

test("an app that accepts and says nothing is silent", async () => {
  expect(await ask(await appThat(() => undefined), 100)).toBe("silent");
});
