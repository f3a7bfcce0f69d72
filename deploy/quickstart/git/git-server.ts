import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readCgiHead } from "@svc/control-plane/repositories/hosting/cgi.ts";

/**
 * An address of its own on loopback: clones, builds and webhooks of all owners may reach it. They reach nothing by it that
 * listens on 127.0.0.1, but what listens on all addresses, as apps do by their bridge.
 */
export const GIT_SERVER_ADDRESS = "127.83.0.1";

export interface GitServerOptions {
  /** Folder of the bare repositories; `<root>/<name>.git` is served at `/<name>.git`. */
  root: string;
  /** 0 lets the system choose. */
  port?: number;
  /** PEM. */
  tls: { cert: string; key: string };
}

export interface GitServer {
  /** `https://<address>:<port>`, without a slash at the end. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/**
 * Serves bare repositories read-only over HTTPS: the real protocol, spoken by git's own `http-backend`.
 * Needs `git` on the path.
 */
export async function startGitServer(options: GitServerOptions): Promise<GitServer> {
  const server = createServer({ cert: options.tls.cert, key: options.tls.key }, gitHandler(options.root));
  server.listen(options.port ?? 0, GIT_SERVER_ADDRESS);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${GIT_SERVER_ADDRESS}:${port}`,
    port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * The paths that a fetch needs, and no other: no dumb protocol, no `git-receive-pack`, no path with dots or a second
 * folder.
 */
const REQUEST_PATH = /^\/[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.git\/(info\/refs|git-upload-pack)$/;

/** A handler for node:http(s) that answers git's smart protocol, reads only, for the repositories in `root`. */
export function gitHandler(root: string): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const url = URL.parse(req.url ?? "/", "https://localhost");
    const service = REQUEST_PATH.exec(url?.pathname ?? "")?.[1];
    if (url === null || service === undefined) return answer(res, 404, "There is no such repository here.");
    if (service === "info/refs" && url.searchParams.get("service") !== "git-upload-pack") {
      return answer(res, 403, "This git server is read-only.");
    }
    serve({ root, pathname: url.pathname, query: url.search.slice(1) }, req, res);
  };
}

function serve(
  target: { root: string; pathname: string; query: string },
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const backend = spawn("git", ["http-backend"], {
    env: backendEnvironment(target, req),
    stdio: ["pipe", "pipe", "ignore"],
  });
  backend.on("error", () => answer(res, 500, "git could not be started."));
  res.on("close", () => backend.kill());
  // The backend ends early when it refuses a request; what is left of the body has no reader then.
  backend.stdin.on("error", () => {});
  req.pipe(backend.stdin);
  forward(backend.stdout, res).catch(() => answer(res, 500, "git gave no answer."));
}

/**
 * The environment is made from nothing, so that neither this process's environment nor the machine's git configuration
 * has a say.
 */
function backendEnvironment(
  target: { root: string; pathname: string; query: string },
  req: IncomingMessage,
): Record<string, string> {
  const settings = [
    ["safe.directory", "*"],
    ["http.receivepack", "false"],
    // A short SHA is looked up among the commits, without their trees.
    ["uploadpack.allowFilter", "true"],
  ];
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_PROJECT_ROOT: target.root,
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_PROTOCOL: header(req, "git-protocol"),
    PATH_INFO: target.pathname,
    QUERY_STRING: target.query,
    REQUEST_METHOD: req.method ?? "GET",
    CONTENT_TYPE: header(req, "content-type"),
    REMOTE_ADDR: req.socket.remoteAddress ?? "",
  };
  settings.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key!;
    env[`GIT_CONFIG_VALUE_${index}`] = value!;
  });
  if (req.headers["content-length"]) env.CONTENT_LENGTH = req.headers["content-length"];
  if (req.headers["content-encoding"]) env.HTTP_CONTENT_ENCODING = req.headers["content-encoding"];
  return env;
}

function header(req: IncomingMessage, name: string): string {
  const value = req.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

/** Hands on what git answers, as it comes. */
async function forward(stdout: Readable, res: ServerResponse): Promise<void> {
  const chunks = stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { head, rest } = await readCgiHead(chunks);
  for (const [name, value] of head.headers) res.setHeader(name, value);
  res.writeHead(head.status).write(rest);
  await pipeline({ [Symbol.asyncIterator]: () => chunks }, res);
}

function answer(res: ServerResponse, status: number, text: string): void {
  if (res.headersSent) return;
  res.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}
