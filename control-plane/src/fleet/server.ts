export type ServerState = "joining" | "active" | "draining" | "removed";

/** After this time without a word of its agent nothing is known of a server, nor of its apps. */
export const AWAY_AFTER_SECONDS = 10;

/** Whether a server can have that name: a label of RFC 1123 in lower case. */
export function isServerName(name: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}
