import { z } from "@hono/zod-openapi";
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { DATA_MARKS } from "./as-data.ts";
import { consentTo } from "./confirm-call.ts";
import type { Confirmations } from "./confirmations.ts";
import { answerOf, type Service, ToolRefusal } from "./service.ts";
import { appName, type Tool } from "./tool.ts";

/** The version of the public API. */
const VERSION = "1";

const INSTRUCTIONS =
  "Deploys and runs apps. Begin with list_apps. Tools that change something have your person asked first, or answer with " +
  `what they would do: show that to your person, and call again with \`confirm\` only when they agree. ${DATA_MARKS}`;

export interface McpServerParts {
  tools: readonly Tool[];
  /** @param client the name that it gives itself in the message; the protocol of 2025 has none there */
  serviceFor: (client: string | undefined) => Service;
  confirmations: Confirmations;
  /** The text of the OpenAPI document. */
  openApi: () => string;
}

/** A server for one request: nothing of it is kept, so that any process answers the next one. */
export function createMcpServer(parts: McpServerParts): McpServer {
  const { tools, serviceFor, openApi } = parts;
  const server = new McpServer({ name: "svc", version: VERSION }, { instructions: INSTRUCTIONS });
  for (const tool of tools) {
    const { title, description, effect } = tool;
    const annotations = {
      title,
      readOnlyHint: effect === "reads",
      destructiveHint: effect === "destroys",
      // Repositories, domains and apps are out there.
      openWorldHint: true,
    };
    server.registerTool(
      tool.name,
      { title, description, inputSchema: inputOf(tool), annotations },
      async (input, ctx) => callTool(tool, parts, input, ctx),
    );
  }
  const readApp = tools.find(({ name }) => name === "read_app");
  if (readApp) registerApps(server, { service: serviceFor(undefined), readApp });
  server.registerResource(
    "openapi",
    "svc://openapi.json",
    { title: "The API's description", mimeType: "application/json" },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: "application/json", text: openApi() }] }),
  );
  return server;
}

/** A tool that changes something takes `confirm` as well. */
function inputOf(tool: Tool): z.ZodObject {
  if (!tool.intent) return tool.input;
  return tool.input.extend({
    confirm: z.string().optional().describe("The app's name, once your person has agreed to what was shown."),
  });
}

async function callTool(
  tool: Tool,
  { serviceFor, confirmations }: McpServerParts,
  { confirm, ...given }: Record<string, unknown>,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const intent = tool.intent?.(given);
    const consent = intent
      ? await consentTo(tool, intent, { confirm, input: given }, confirmations, ctx)
      : { given: true as const };
    const { signal, envelope } = ctx.mcpReq;
    if (consent.given) return answer(await tool.run({ service: serviceFor(nameIn(envelope)), signal }, given));
    return typeof consent.answer === "string" ? answer(consent.answer) : consent.answer;
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    return { ...answer(error.message), isError: true };
  }
}

function nameIn(envelope: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const { name } = (envelope?.[CLIENT_INFO_META_KEY] ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : undefined;
}

const answer = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

const SCHEME = "svc://apps/";
/** Apps that a client may look through. */
const APPS_MAX = 100;

/** Registers each app as a resource that holds what the tool says of it. */
function registerApps(server: McpServer, { service, readApp }: { service: Service; readApp: Tool }): void {
  const names = async () => {
    const params = { query: { limit: APPS_MAX } };
    const { apps } = await inWords(answerOf(service.GET("/api/apps", { params })));
    return apps.map(({ name }) => name);
  };
  const template = new ResourceTemplate(`${SCHEME}{name}`, {
    list: async () => ({
      resources: (await names()).map((name) => ({ uri: `${SCHEME}${name}`, name, mimeType: "text/plain" })),
    }),
    complete: { name: async (begun) => (await names()).filter((name) => name.startsWith(begun)) },
  });
  const config = { title: "An app", description: readApp.description, mimeType: "text/plain" };
  server.registerResource("app", template, config, async (uri, { name }, { mcpReq: { signal } }) => {
    const input = appName.safeParse(name);
    if (!input.success) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${uri.href} names no app.`);
    const text = await inWords(readApp.run({ service, signal }, { app: input.data }));
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
  });
}

/** @throws ProtocolError with the API's own sentence */
async function inWords<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}
