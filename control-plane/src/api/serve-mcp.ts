import type { Context } from "hono";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Confirmations } from "../assistant/confirmations.ts";
import { createMcpServer } from "../assistant/mcp-server.ts";
import { connectService } from "../assistant/service.ts";
import { toolsOf } from "../assistant/tools-of.ts";
import { authenticate, type Caller } from "../accounts/authenticate.ts";
import { takeToken } from "../accounts/take-token.ts";
import type { OperationContext } from "../platform/operation.ts";
import { takeOnce } from "../platform/http/idempotency.ts";
import type { RequestEnv } from "../platform/http/request-env.ts";
import type { Route } from "../platform/http/route.ts";
import type { McpCalls } from "./mcp-calls.ts";
import type { RequestParts } from "./serve-route.ts";

export const MCP_PATH = "/mcp";

/** As much as a request of the REST API. */
const BODY_BYTES_MAX = 1024 * 1024;
const CLIENT_LENGTH_MAX = 80;

export interface McpParts extends RequestParts {
  routes: readonly Route[];
  calls: McpCalls;
  /** Answers a request of the API within the process. */
  send: (request: Request, via: string) => Promise<Response>;
  openApi: () => string;
}

/**
 * The Model Context Protocol, by streamable HTTP: each request stands alone, and any process answers it. An API key is needed; a
 * cookie is never read, so that no page can act for a person.
 */
export async function serveMcp(parts: McpParts, c: Context<RequestEnv>): Promise<Response> {
  const event = c.get("event");
  event.route = MCP_PATH;
  const caller = await authenticate(parts.db, parts.keyOwners.read, c.req.header("Authorization"));
  Object.assign(event, { userId: caller.userId, keyId: caller.keyId });
  const ctx: OperationContext = { ...parts, actor: caller, requestId: c.get("requestId") };
  await takeToken(ctx, "reads", caller.tier);
  const free = parts.calls.take(caller.userId);
  try {
    return untilRead(await answerCall(parts, c, caller), free);
  } catch (error) {
    free();
    throw error;
  }
}

/** An answer may be a stream that goes on until the tool is done. */
function untilRead({ body, status, headers }: Response, onEnd: () => void): Response {
  if (!body) onEnd();
  const watched = body?.pipeThrough(new TransformStream({ flush: onEnd, cancel: onEnd }));
  return new Response(watched ?? null, { status, headers });
}

async function answerCall(parts: McpParts, c: Context<RequestEnv>, caller: Caller): Promise<Response> {
  const headers = { Authorization: c.req.header("Authorization") ?? "" };
  const userAgent = c.req.header("User-Agent") ?? "";
  const { userId, keyId = userId } = caller;
  const useOnce = (key: string) => takeOnce(parts.db, { userId, method: "POST", path: MCP_PATH, key });
  const { fetch } = createMcpHandler(
    () =>
      createMcpServer({
        tools: toolsOf(caller, parts.routes),
        serviceFor: (client) =>
          connectService((request) => parts.send(request, `mcp ${clientName(userAgent, client)}`), headers),
        confirmations: new Confirmations({ ...parts, keyId, useOnce }),
        openApi: parts.openApi,
      }),
    // Nothing changes that a client could listen for: such a stream would be open for ever, also when the key is gone.
    { maxRequestBodySize: BODY_BYTES_MAX, maxSubscriptions: 0 },
  );
  return fetch(c.req.raw);
}

/** Many clients leave `User-Agent` to their library: the name in the message counts, unless the header has it and more. */
function clientName(userAgent: string, inMessage = ""): string {
  const [header, name] = [plain(userAgent), plain(inMessage)];
  return name === "" || header.startsWith(name) ? header || "client" : name;
}

function plain(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, "").slice(0, CLIENT_LENGTH_MAX);
}
