import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The version of what the agent and its name server agree on. Raise the version with any change of behaviour: the agent
 * replaces a running name server of another version.
 */
export const NAME_SERVER_VERSION = 6;

/** Loopback ports of a running name server. They stay the same, since the proxy's static configuration names them. */
export interface NameServerPorts {
  /** UDP and TCP. */
  dns: number;
  /** HTTP: permission for certificates, what is known of them, and the agent's health check. */
  ask: number;
  /** UDP: what the proxy logs about certificates. */
  events: number;
  /** HTTP: the pages for hosts that no container serves. */
  fallback: number;
}

export interface NameServerInfo {
  version: number;
  pid: number;
  ports: NameServerPorts;
}

export function routesFile(dataDirectory: string): string {
  return join(dataDirectory, "routes.json");
}

/** Written by the name server when it listens. */
export function nameServerInfoFile(dataDirectory: string): string {
  return join(dataDirectory, "name-server.json");
}

export function nameServerLogFile(dataDirectory: string): string {
  return join(dataDirectory, "name-server.log");
}

/** Reads what the last name server wrote; undefined when there was none or the file can't be read. */
export function readNameServerInfo(dataDirectory: string): NameServerInfo | undefined {
  try {
    return parseNameServerInfo(readFileSync(nameServerInfoFile(dataDirectory), "utf8"));
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError when the text is no JSON */
function parseNameServerInfo(text: string): NameServerInfo | undefined {
  const value: unknown = JSON.parse(text);
  const version = numberAt(value, "version");
  const pid = numberAt(value, "pid");
  const ports = at(value, "ports");
  const dns = numberAt(ports, "dns");
  const ask = numberAt(ports, "ask");
  const fallback = numberAt(ports, "fallback");
  if (version === undefined || pid === undefined || pid < 2) return undefined;
  if (dns === undefined || ask === undefined || fallback === undefined) return undefined;
  // One of an earlier version, which is about to be replaced, has none.
  return { version, pid, ports: { dns, ask, fallback, events: numberAt(ports, "events") ?? 0 } };
}

function at(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function numberAt(value: unknown, name: string): number | undefined {
  const field = at(value, name);
  return typeof field === "number" && Number.isInteger(field) && field > 0 ? field : undefined;
}
