import { STATUS_CODES, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { errorAnswer } from "../platform/http/errors.ts";

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
export function refuseMalformedRequests(server: Server, log: Logger): void {
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
export function malformedResponse(log: Logger, error: unknown): Response {
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
