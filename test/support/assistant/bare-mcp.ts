import type { TestApi } from "../api/http.ts";

const VERSION = "2026-07-28";

/** One request of the protocol of 2026, as an attacker's client could write it. */
export async function bareCall(
  http: TestApi,
  key: string,
  params: { name: string; arguments: Record<string, unknown>; inputResponses?: unknown; requestState?: unknown },
): Promise<Record<string, unknown>> {
  const method = "tools/call";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "bare", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const answer = await http.api.request("/mcp", {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${key}`,
      "MCP-Protocol-Version": VERSION,
      "Mcp-Method": method,
      "Mcp-Name": params.name,
    },
  });
  return (await answer.json()) as Record<string, unknown>;
}
