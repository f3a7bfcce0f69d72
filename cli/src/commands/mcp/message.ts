import { isRecord, recordOf } from "@svc/shared/json.ts";

/** A message of JSON-RPC 2.0: a request with method and id, a notification with a method alone, an answer with an id alone. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: Readonly<Record<string, unknown>>;
}

export const RPC_ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  /** The first of those that an implementation may give a meaning (JSON-RPC 2.0, section 5.1). */
  notDone: -32_000,
} as const;

/** Reads a message; undefined for a value that is none, which an array of messages is since the protocol of 2025-06-18. */
export function asMessage(value: unknown): Message | undefined {
  if (!isRecord(value)) return undefined;
  const { jsonrpc, id, method, params } = value;
  const isMessage =
    jsonrpc === "2.0" &&
    (id === undefined || id === null || typeof id === "string" || typeof id === "number") &&
    (method === undefined || typeof method === "string");
  if (!isMessage) return undefined;
  return {
    ...(id !== undefined && { id }),
    ...(method !== undefined && { method }),
    ...(typeof params === "object" && params !== null && { params: params as Record<string, unknown> }),
  };
}

export function errorMessage(id: Message["id"], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } });
}

/** Parameters that the header Mcp-Name repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * The headers that streamable HTTP asks for beside a message, which standard input and output do not have.
 * @param agreed the version that `initialize` agreed on; a message of the protocol of 2026 names its own
 */
export function headersOf({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const own = metaOf(params)["io.modelcontextprotocol/protocolVersion"];
  if (typeof own !== "string" || method === undefined) {
    return agreed === undefined ? {} : { "MCP-Protocol-Version": plain(agreed) };
  }
  const name = Object.hasOwn(NAMED_BY, method) ? params?.[NAMED_BY[method]!] : undefined;
  return {
    "MCP-Protocol-Version": plain(own),
    "Mcp-Method": plain(method),
    ...(typeof name === "string" && { "Mcp-Name": encoded(name) }),
  };
}

/** The client's own name for itself; undefined in a message that does not say so. */
export function clientOf({ method, params }: Message): string | undefined {
  const info = method === "initialize" ? params?.["clientInfo"] : metaOf(params)["io.modelcontextprotocol/clientInfo"];
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name !== "string") return undefined;
  const called = plain(typeof version === "string" ? `${name}/${version}` : name);
  return called.trim().slice(0, CLIENT_LENGTH_MAX) || undefined;
}

/** The service keeps 80 characters, with ours after it. */
const CLIENT_LENGTH_MAX = 60;

function metaOf(params: Message["params"]): Readonly<Record<string, unknown>> {
  return recordOf(params?.["_meta"]);
}

/** Text that a header can hold. */
const plain = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "");

/** The protocol's own encoding of a name that a header can't hold as it is. */
function encoded(name: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(name) && !name.startsWith("=?base64?")) return name;
  return `=?base64?${Buffer.from(name, "utf8").toString("base64")}?=`;
}
