import { once } from "node:events";
import { readFile } from "node:fs/promises";
import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { GIT_MS_MAX } from "../repositories/hosting/git-bounds.ts";
import { bind } from "./bind.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { errorAnswer } from "../platform/http/errors.ts";

export interface Tls {
  certFile: string;
  keyFile: string;
}

export interface ApiListener {
  address: HostPort;
  /** Takes no more connections, and resolves when the open requests have been answered. */
  close(): Promise<void>;
}

/** The part of the API that answers requests, as Node's server hands them over. */
interface Answerer {
  fetch: Parameters<typeof getRequestListener>[0];
}

/** Half of the 30 s that the operating contract grants to a stop; the rest is for what the requests use. */
const FINISH_MS_MAX = 15_000;

/** @throws SvcError when the address can't be used */
export async function listen(
  api: Answerer,
  { address, tls, log }: { address: HostPort; tls: Tls | undefined; log: Logger },
): Promise<ApiListener> {
  const server = await createServer(api, tls, log);
  const unsent = trackUnsent(server);
  const bound = await bind(server, { address, what: "The API", variable: "SVC_LISTEN" });
  return { address: bound, close: () => close(server, unsent) };
}

/** Two small files. */
const CERTIFICATE_LOOK_MS = 5_000;

/**
 * How long a connection is kept for the next request: longer than the pause of a page that looks every 12 s. With Node's own
 * 5 s most requests of a page began with a new one. No longer than that: a browser may ask on a kept connection that a network
 * has dropped meanwhile, and then waits for an answer that can't come.
 */
const KEEP_ALIVE_MS = 15_000;

const OPTIONS = {
  // Node would refuse a request without Host by itself, with a page of its own.
  requireHostHeader: false,
  // Node's own 5 minutes would end a slow push in half the time that git is given.
  requestTimeout: GIT_MS_MAX,
  keepAliveTimeout: KEEP_ALIVE_MS,
};

async function createServer(api: Answerer, tls: Tls | undefined, log: Logger): Promise<Server> {
  const listener = getRequestListener(api.fetch, { errorHandler: (error) => malformedResponse(log, error) });
  const answer: RequestListener = (req, res) => void listener(req, res);
  const server = tls ? await createTlsServer(tls, answer, log) : createHttpServer(OPTIONS, answer);
  refuseMalformedRequests(server, log);
  return server;
}

/** New connections get the certificate that the files have now: who renews it does not have to restart anything. */
async function createTlsServer(tls: Tls, answer: RequestListener, log: Logger): Promise<Server> {
  let used = await readTls(tls);
  const server = createHttpsServer({ ...used, ...OPTIONS }, answer);
  async function look(): Promise<void> {
    const found = await readTls(tls);
    if (found.cert.equals(used.cert) && found.key.equals(used.key)) return;
    server.setSecureContext(found);
    used = found;
    log.info("the API's certificate was read again");
  }
  // The one that was there goes on. Two files are not written at once: the next look may find a pair.
  const failing = "the API's new certificate can't be used";
  const every = { everyMs: CERTIFICATE_LOOK_MS, retryMsMax: CERTIFICATE_LOOK_MS };
  const closed = new AbortController();
  server.once("listening", () => void repeat({ ...every, failing, work: look, log }, closed.signal));
  server.once("close", () => closed.abort());
  return server;
}

interface Pair {
  cert: Buffer;
  key: Buffer;
}

async function readTls({ certFile, keyFile }: Tls): Promise<Pair> {
  try {
    return { cert: await readFile(certFile), key: await readFile(keyFile) };
  } catch (cause) {
    throw new SvcError(
      "internal",
      `The certificate of SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE can't be read: ${(cause as Error).message}.`,
      { cause },
    );
  }
}

/** The answers that a client has not got to their end. */
function trackUnsent(server: Server): ReadonlySet<ServerResponse> {
  const unsent = new Set<ServerResponse>();
  server.prependListener("request", (_req, res) => {
    unsent.add(res);
    res.once("close", () => unsent.delete(res));
  });
  return unsent;
}

/** A connection that was busy at the stop is kept by its client after the answer, unless it is closed once it is idle. */
const IDLE_LOOK_MS = 100;

async function close(server: Server, unsent: ReadonlySet<ServerResponse>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  // A client that asks on such a connection meanwhile is told to take another for the next request.
  server.prependListener("request", (_req, res) => void res.setHeader("Connection", "close"));
  // For Node a connection is idle as soon as its answer is made, while megabytes may still be on their way.
  const closeIdle = () => {
    if (unsent.size === 0) server.closeIdleConnections();
  };
  NetServer.prototype.close.call(server);
  closeIdle();
  const looks = setInterval(closeIdle, IDLE_LOOK_MS);
  const timer = setTimeout(() => server.closeAllConnections(), FINISH_MS_MAX);
  await closed;
  clearInterval(looks);
  clearTimeout(timer);
}

interface Refusal {
  status: number;
  sentence: string;
}

const MALFORMED: Refusal = { status: 400, sentence: "This is not a well-formed HTTP/1.1 request." };

/** Answers by the code of Node's error. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, sentence: "The request's address and headers are longer than 16 KiB together." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, sentence: "The body's chunks carry extensions that are too long." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, sentence: "The request did not arrive in time." },
};

/**
 * Answers what never becomes a request, and so never reaches a route, as every other error is answered: with JSON, a sentence
 * and a request id. The connection ends with it.
 */
function refuseMalformedRequests(server: Server, log: Logger): void {
  // The bytes are limited; a count of headers would drop those beyond it without a word.
  server.maxHeadersCount = 0;

  /** With an answer under way, into which another one must not be written. */
  const answering = new WeakSet<Duplex>();
  server.on("request", ({ socket }, res) => {
    answering.add(socket);
    res.once("close", () => answering.delete(socket));
  });

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || answering.has(socket) || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const { status, body, headers } = refuse(REFUSALS[error.code ?? ""] ?? MALFORMED, log, error);
    const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(body), Connection: "close" });
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  });

  server.on("checkExpectation", (_req, res) => {
    const { status, body, headers } = refuse({ status: 417, sentence: "Only 100-continue can be expected." }, log);
    res.writeHead(status, headers).end(body);
  });
}

/** Answers a request that Node parses and we can't: one without a usable Host, for example. */
function malformedResponse(log: Logger, error: unknown): Response {
  const { body, ...init } = refuse(
    { ...MALFORMED, sentence: "The request's Host or path is not one that an HTTP request can have." },
    log,
    error,
  );
  return new Response(body, init);
}

function refuse({ status, sentence }: Refusal, log: Logger, error?: unknown) {
  const requestId = newId();
  // The error itself holds the bytes that came, and with them an API key.
  const reason = error instanceof Error ? error.message : undefined;
  log.info({ request_id: requestId, status, reason }, "malformed request");
  const { body = "" } = errorAnswer(new SvcError("invalid_request", sentence), requestId);
  return { status, body, headers: { "Content-Type": "application/json", "X-Request-Id": requestId } };
}
