import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Route } from "./routes.ts";

/** When a client may look whether a stopped app is back; a person starts it, so sooner is seldom worth it. */
const RETRY_AFTER_SECONDS = 30;
/** An app that ended by itself is started again without a request. */
const FAILING_RETRY_AFTER_SECONDS = 5;

/** The page of hosts that no container serves: 404 for unknown ones, 503 for those of stopped apps. */
export function createFallbackServer(lookUp: (host: string) => Route | undefined): Server {
  return createServer((req, res) => {
    req.resume();
    const host = hostOf(req);
    const route = routeOrUndefined(lookUp, host);
    if (!route) return send(req, res, 404, "Not found", "No app is served under this name.");
    res.setHeader("retry-after", RETRY_AFTER_SECONDS);
    if (route.state === "stopped")
      return send(req, res, 503, "Stopped", "This app is stopped. Its owner can start it.");
    if (route.state === "undeployed") return send(req, res, 503, "Not deployed", "No release of this app is live.");
    if (route.state === "failing") {
      res.setHeader("retry-after", FAILING_RETRY_AFTER_SECONDS);
      return send(req, res, 503, "Not running", "This app does not run at the moment.");
    }
    // The route came back between the proxy's look-up and this request.
    res.setHeader("retry-after", 1);
    send(req, res, 503, "Starting", "This app is about to be served. Try again in a moment.");
  });
}

function hostOf(req: IncomingMessage): string {
  return (req.headers.host ?? "").replace(/:[0-9]*$/, "").toLowerCase();
}

/** No table is no permission and no page; it is also in the log. */
function routeOrUndefined(lookUp: (host: string) => Route | undefined, host: string): Route | undefined {
  try {
    return lookUp(host);
  } catch {
    return undefined;
  }
}

function send(req: IncomingMessage, res: ServerResponse, status: number, title: string, text: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
  res.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
    "cache-control": "no-store",
  });
  res.end(req.method === "HEAD" ? undefined : page);
}
