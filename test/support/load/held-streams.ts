import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import type { LoadTarget } from "./connections.ts";

export interface HeldStreams {
  /** Returns what was seen, and why each stream ended or lost something. */
  result(): { events: number; echoes: number; broken: string[] };
  close(): void;
}

const ECHO_INTERVAL_MS = 100;

/** An event stream over HTTP/1.1, one over HTTP/2, and a WebSocket's connection; of each, every byte is accounted for. */
export function holdStreams(target: LoadTarget): HeldStreams {
  const counts = { events: 0, echoes: 0 };
  const broken: string[] = [];
  let isClosing = false;
  const breaks = (what: string, reason: string): void => {
    if (!isClosing) broken.push(`${what}: ${reason}`);
  };
  const closers = [
    holdEventsHttp1(target, numbered("event stream, HTTP/1.1")),
    holdEventsHttp2(target, numbered("event stream, HTTP/2")),
    holdEcho(target),
  ];

  /** Takes pieces of an event stream, and wants one number after the other. */
  function numbered(what: string): Watcher {
    let rest = "";
    let next = 0;
    return {
      data(chunk) {
        rest += chunk;
        const complete = rest.lastIndexOf("\n\n");
        if (complete < 0) return;
        for (const [, number] of rest.slice(0, complete).matchAll(/data: ([0-9]+)/g)) {
          if (Number(number) !== next) breaks(what, `event ${number} in the place of ${next}`);
          next = Number(number) + 1;
          counts.events++;
        }
        rest = rest.slice(complete);
      },
      ended: (reason) => breaks(what, reason),
    };
  }

  function holdEcho({ host, port, ca }: LoadTarget): () => void {
    const socket = connectTls({ host: "127.0.0.1", port, ca, servername: host, ALPNProtocols: ["http/1.1"] });
    let rest = "";
    let sent = 0;
    let received = 0;
    let timer: NodeJS.Timeout | undefined;
    socket.setEncoding("utf8");
    socket.write(`GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    socket.on("data", (chunk: string) => {
      rest += chunk;
      if (!timer) {
        if (!rest.includes("\r\n\r\n")) return;
        if (!rest.startsWith("HTTP/1.1 101")) return breaks("WebSocket", rest.slice(0, 40));
        rest = "";
        timer = setInterval(() => socket.write(`${sent++}\n`), ECHO_INTERVAL_MS);
      }
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== String(received)) breaks("WebSocket", `${line} in the place of ${received}`);
        received = Number(line) + 1;
        counts.echoes++;
      }
    });
    socket.on("error", (error) => breaks("WebSocket", error.message));
    socket.on("close", () => {
      clearInterval(timer);
      breaks("WebSocket", "closed");
    });
    return () => socket.destroy();
  }

  return {
    result: () => ({ ...counts, broken }),
    close() {
      isClosing = true;
      for (const close of closers) close();
    },
  };
}

interface Watcher {
  data(chunk: string): void;
  ended(reason: string): void;
}

function holdEventsHttp1({ host, port, ca }: LoadTarget, watcher: Watcher): () => void {
  const socket = connectTls({ host: "127.0.0.1", port, ca, servername: host, ALPNProtocols: ["http/1.1"] });
  socket.setEncoding("utf8");
  socket.write(`GET /events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  // Chunked: the lengths between the events are skipped by who looks for `data:` alone.
  socket.on("data", (chunk: string) => watcher.data(chunk));
  socket.on("error", (error) => watcher.ended(error.message));
  socket.on("close", () => watcher.ended("closed"));
  return () => socket.destroy();
}

function holdEventsHttp2({ host, port, ca }: LoadTarget, watcher: Watcher): () => void {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: host });
  session.on("error", (error) => watcher.ended(error.message));
  const stream = session.request({ ":path": "/events", ":authority": host });
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => watcher.data(chunk));
  stream.on("error", (error) => watcher.ended(error.message));
  stream.on("close", () => watcher.ended("closed"));
  return () => session.destroy();
}
