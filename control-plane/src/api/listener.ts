import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { getRequestListener } from "@hono/node-server";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { GIT_MS_MAX } from "../repositories/hosting/git-bounds.ts";
import { bind } from "./bind.ts";
import { malformedResponse, refuseMalformedRequests } from "./malformed-requests.ts";

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
  const bound = await bind(server, { address, what: "The API", variable: "SVC_LISTEN" });
  return { address: bound, close: () => close(server) };
}

/** Two small files. */
const CERTIFICATE_LOOK_MS = 5_000;

const OPTIONS = {
  // Node would refuse a request without Host by itself, with a page of its own.
  requireHostHeader: false,
  // Node's own 5 minutes would end a slow push in half the time that git is given.
  requestTimeout: GIT_MS_MAX,
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
    try {
      const found = await readTls(tls);
      if (found.cert.equals(used.cert) && found.key.equals(used.key)) return;
      server.setSecureContext(found);
      used = found;
      log.info("the API's certificate was read again");
    } catch (error) {
      // The one that was there goes on. Two files are not written at once: the next look may find a pair.
      log.error({ err: error }, "the API's new certificate can't be used");
    }
  }
  const timer = setInterval(() => void look(), CERTIFICATE_LOOK_MS).unref();
  server.on("close", () => clearInterval(timer));
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

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), FINISH_MS_MAX);
  await closed;
  clearTimeout(timer);
}
