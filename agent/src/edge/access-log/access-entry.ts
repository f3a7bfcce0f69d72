/** One request that the proxy has answered. */
export interface AccessEntry {
  time: Date;
  /** Lower case, without a port. */
  host: string;
  status: number;
  seconds: number;
  /** The request on one line, for people. */
  text: string;
}

/** Characters of a path with its query that are kept; an address of more is an attack or a mistake. */
const URI_LENGTH_MAX = 2_000;

/** A line of the proxy's log (caddy-access-log.ts); undefined for what is none. */
export function parseAccessEntry(line: string): AccessEntry | undefined {
  const entry = parseObject(line);
  const request = entry && objectAt(entry, "request");
  if (!entry || !request) return undefined;
  const { ts, status, size, duration: seconds } = entry;
  const { host, method, uri, proto } = request;
  const address = request["client_ip"] ?? request["remote_ip"];
  if (!isNumber(ts) || !isNumber(status) || !isNumber(seconds) || typeof host !== "string") return undefined;
  const time = new Date(ts * 1000);
  if (Number.isNaN(time.getTime())) return undefined;
  const path = oneLine(uri);
  const shown = path.length > URI_LENGTH_MAX ? `${path.slice(0, URI_LENGTH_MAX)}…` : path;
  const took = `${(seconds * 1000).toFixed(1)} ms`;
  return {
    time,
    host: host.replace(/:[0-9]*$/, "").toLowerCase(),
    status,
    seconds,
    text: `${oneLine(address)} ${oneLine(host)} "${oneLine(method)} ${shown} ${oneLine(proto)}" ${status} ${isNumber(size) ? size : 0} B ${took}`,
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function objectAt(value: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const inner = value[name];
  return isObject(inner) ? inner : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A client chooses these words: they must not begin a line of their own. */
function oneLine(value: unknown): string {
  return typeof value === "string" ? value.replace(/[\p{Cc}\u2028\u2029]/gu, "?") : "-";
}
