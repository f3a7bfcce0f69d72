import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApi } from "../api/http.ts";

/** The official client, connected to a test's API without a socket. */
export interface McpClient {
  names(): Promise<string[]>;
  /** The text that a tool answered. */
  call(name: string, input?: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
  client: Client;
}

/** A person whose client asks them: what they are asked, and what they say. */
export interface AskedPerson {
  asked: { message: string; requestedSchema: unknown }[];
  says: { action: "accept" | "decline" | "cancel"; content?: Record<string, string | boolean> };
}

/**
 * @param key an API key
 * @param era which of both protocols is spoken
 * @param person without one, the client can't ask anybody
 */
export async function connectMcp(
  http: TestApi,
  key: string,
  era: "modern" | "legacy" = "modern",
  person?: AskedPerson,
): Promise<McpClient> {
  const client = new Client(
    { name: "test-client", version: "1.2.3" },
    {
      versionNegotiation: { mode: era === "legacy" ? "legacy" : "auto" },
      ...(person && { capabilities: { elicitation: { form: {} } } }),
    },
  );
  if (person) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode === "url") throw new Error("a form was expected");
      person.asked.push({ message: params.message, requestedSchema: params.requestedSchema });
      return person.says;
    });
  }
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
      requestInit: { headers: { Authorization: `Bearer ${key}`, "User-Agent": "test-agent/1.2" } },
      fetch: async (url, init) => http.api.request(url instanceof URL ? url.href : url, init),
    }),
  );
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name).toSorted(),
    async call(name, input = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      return { text, isError };
    },
  };
}
