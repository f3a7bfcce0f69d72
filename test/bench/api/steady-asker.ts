import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Sends the same GET again and again over `connections` kept-alive connections, for `forMs`. It reads of an answer what it
 * needs to find its end, so that as little as possible of what is measured is the client's own work.
 * @param asked.header who asks: one line of the request's head
 * @returns answers a second
 * @throws Error when an answer is not 200, or shorter than `bytesMin`
 */
export async function askSteadily(
  url: URL,
  { header, connections, forMs, bytesMin }: { header: string; connections: number; forMs: number; bytesMin: number },
): Promise<number> {
  const request = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n${header}\r\n\r\n`;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)));
  const start = performance.now();
  let count = 0;
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() - start < forMs) {
        socket.write(request);
        await readAnswer(socket, bytesMin);
        count += 1;
      }
      socket.destroy();
    }),
  );
  return (count * 1000) / (performance.now() - start);
}

async function open(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname).setNoDelay(true);
  await once(socket, "connect");
  return socket;
}

function readAnswer(socket: Socket, bytesMin: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const finish = (error?: Error): void => {
      socket.off("data", onData).off("error", finish).off("close", onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = (): void => finish(new Error("the server closed the connection"));
    const onData = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = received.toString("latin1", 0, headEnd);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
      if (!head.startsWith("HTTP/1.1 200 ") || !(length >= bytesMin)) return finish(new Error(`answered: ${head}`));
      if (received.length >= headEnd + 4 + length) finish();
    };
    socket.on("data", onData).on("error", finish).on("close", onClose);
  });
}
