import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Db } from "../../platform/database/database.ts";
import { joinTokenHash, joinTokenInvalid } from "../joining/join-token.ts";
import { isJoinTokenOpen } from "../servers.store.ts";
import { openAgentBundle, readInstaller } from "./agent-bundle.ts";

interface Parts {
  db: Db;
  log: Logger;
  openBundle?: typeof openAgentBundle;
}

/** One archive has some 130 MB: hosts that join together wait for one another rather than share the machine's uplink. */
const DOWNLOADS_MAX = 4;
/** A slow line, 1 Mbit/s, needs 17 minutes. */
const DOWNLOAD_MS_MAX = 30 * 60_000;
/** A host that takes nothing for so long is gone, and holds up the next. */
const SILENCE_MS_MAX = 60_000;
/** Strangers may connect: one that does not ask, or asks again and again, is not waited for. Node's own limits are for servers that listen. */
const REQUEST_MS_MAX = 10_000;
const CONNECTIONS_MAX = 64;
const CHECKS_MAX = 4;
const RETRY_SECONDS = 30;

/**
 * What a host fetches before its agent runs, over HTTP/1.1 on SVC_AGENTS_LISTEN. The script is for anybody: who runs it knows its
 * SHA-256. The agent is for holders of a join token that was not used yet.
 *
 *   GET /install-agent.sh
 *   GET /agent.json?arch=x86_64     version, SHA-256 and size of the archive
 *   GET /agent.tar?arch=x86_64
 *
 * A refusal is a sentence of plain text, which the script prints.
 */
export function serveBundles({ db, log, openBundle = openAgentBundle }: Parts): Server {
  let checks = 0;
  /** Tokens, by their hashes: one place for each. */
  const downloading = new Set<string>();

  /** @throws SvcError join_token_invalid, rate_limited */
  async function requireToken(authorization = ""): Promise<string> {
    const hash = joinTokenHash(/^Bearer (\S{1,512})$/i.exec(authorization)?.[1] ?? "");
    // What strangers ask may not use up the connections to the database.
    if (checks >= CHECKS_MAX) throw tooMany("Many hosts join just now.");
    checks += 1;
    try {
      if (!(await isJoinTokenOpen(db, hash))) throw joinTokenInvalid();
    } finally {
      checks -= 1;
    }
    return hash.toString("hex");
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The path of `GET //` is no URL.
    const url = URL.parse(request.url ?? "/", "https://control-plane");
    if (request.method !== "GET" || !url) throw nothingHere();
    const { pathname, searchParams } = url;
    if (pathname === "/install-agent.sh") {
      response.setHeader("content-type", "text/x-shellscript; charset=utf-8");
      return void response.end((await readInstaller()).script);
    }
    if (pathname !== "/agent.json" && pathname !== "/agent.tar") throw nothingHere();
    const token = await requireToken(request.headers.authorization);
    const { version, sha256, bytes, stream } = await openBundle(searchParams.get("arch") ?? process.arch);
    if (pathname === "/agent.json") {
      response.setHeader("content-type", "application/json");
      return void response.end(`${JSON.stringify({ version, sha256, bytes: String(bytes) }, undefined, 1)}\n`);
    }
    if (downloading.has(token)) throw tooMany("A host fetches the agent with this token already.");
    if (downloading.size >= DOWNLOADS_MAX) throw tooMany(`${DOWNLOADS_MAX} hosts fetch the agent already.`);
    downloading.add(token);
    try {
      response.writeHead(200, { "content-type": "application/x-tar", "content-length": bytes });
      response.flushHeaders();
      await pipeline(stream(), response, { signal: AbortSignal.timeout(DOWNLOAD_MS_MAX) });
    } finally {
      downloading.delete(token);
    }
  }

  const waiting = new Map<Socket, NodeJS.Timeout>();
  const asked = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    const { socket } = request;
    // One answer for each connection: requests that come behind one another would be begun together.
    if (asked.has(socket)) return void socket.destroy();
    asked.add(socket);
    clearTimeout(waiting.get(socket));
    socket.setTimeout(SILENCE_MS_MAX, () => socket.destroy());
    request.resume();
    response.shouldKeepAlive = false;
    answer(request, response).catch((error: unknown) => refuse(log, response, error));
  });
  server.on("connection", (socket: Socket) => {
    if (waiting.size >= CONNECTIONS_MAX) return void socket.destroy();
    waiting.set(
      socket,
      setTimeout(() => socket.destroy(), REQUEST_MS_MAX),
    );
    socket.once("close", () => {
      clearTimeout(waiting.get(socket));
      waiting.delete(socket);
    });
  });
  return server;
}

function nothingHere(): SvcError {
  return new SvcError("not_found", "A host can GET /install-agent.sh, /agent.json and /agent.tar here.");
}

function tooMany(why: string): SvcError {
  return new SvcError("rate_limited", `${why} Run the command again in a minute.`);
}

const STATUS: Partial<Record<SvcError["code"], number>> = {
  join_token_invalid: 401,
  not_found: 404,
  rate_limited: 503,
};

function refuse(log: Logger, response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { code, message } = toSvcError(error);
  if (code === "internal") log.error({ err: error }, "the agent could not be served to a host");
  if (code === "rate_limited") response.setHeader("retry-after", RETRY_SECONDS);
  response.writeHead(STATUS[code] ?? 500, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${message}\n`);
}
