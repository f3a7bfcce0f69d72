import { program } from "../platform/apps.ts";
import type { Files } from "../doubles/git-host.ts";

/** How long the load's slow requests take at the app. Milliseconds. */
export const SLOW_MS = 5_000;

/**
 * Answers `<release> <bytes of the request's body>`; `/slow` takes its time for it. A `note` makes the commit another
 * one, so that a deploy of it builds.
 */
export function loadedApp(note: string): Files {
  return program(`// ${note}
const http = require("node:http");
http.createServer((req, res) => {
  let bytes = 0;
  req.on("data", (chunk) => (bytes += chunk.length));
  req.on("end", () => {
    const answer = () => res.end(process.env.SVC_RELEASE + " " + bytes);
    if (req.url === "/slow") setTimeout(answer, ${SLOW_MS});
    else answer();
  });
}).listen(process.env.PORT, "0.0.0.0");
`);
}

/** Streams numbered events without end, and echoes what comes over a WebSocket's connection. */
export function steadyApp(): Files {
  return program(`const http = require("node:http");
const server = http.createServer((req, res) => {
  if (req.url !== "/events") return res.end("steady");
  res.writeHead(200, { "content-type": "text/event-stream" });
  let number = 0;
  const timer = setInterval(() => res.write("data: " + number++ + "\\n\\n"), 100);
  res.on("close", () => clearInterval(timer));
});
server.on("upgrade", (req, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n");
  socket.on("error", () => {});
  socket.pipe(socket);
});
server.listen(process.env.PORT, "0.0.0.0");
`);
}
