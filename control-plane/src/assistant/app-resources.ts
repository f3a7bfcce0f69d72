import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from "@modelcontextprotocol/server";
import { answerOf, ToolRefusal, type Service } from "./service.ts";
import { appName, type Tool } from "./tool.ts";

const SCHEME = "svc://apps/";
/** Apps that a client may look through. */
const APPS_MAX = 100;

/** Registers each app as a resource that holds what the tool says of it. */
export function registerApps(server: McpServer, { service, readApp }: { service: Service; readApp: Tool }): void {
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
