import { isIP } from "node:net";
import { parseHostPort } from "@svc/shared/platform/env.ts";
import { isHostName } from "@svc/shared/rules/host-name.ts";

export type ServerState = "joining" | "active" | "draining" | "removed";

/** After this time without a word of its agent nothing is known of a server, nor of its apps. */
export const AWAY_AFTER_SECONDS = 10;

/** Whether a server can have that name: a label of RFC 1123 in lower case. */
export function isServerName(name: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

/** A place at which balancers find a server's apps. */
export interface ServerAddress {
  /** A host name or an IP address, without brackets. */
  host: string;
  /** Null for the port of the apps' URLs. */
  port: number | null;
}

/** Reads `host`, `host:port`, or an IP address of version 6 in brackets with a port; undefined when it is none. */
export function parseServerAddress(text: string): ServerAddress | undefined {
  if (isIP(text) !== 0) return { host: text, port: null };
  const { host, port } = parseHostPort(text) ?? { host: text, port: null };
  return port !== 0 && (isIP(host) !== 0 || isHostName(host)) ? { host, port } : undefined;
}
