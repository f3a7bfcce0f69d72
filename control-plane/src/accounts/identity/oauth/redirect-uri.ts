/** A longer address is nobody's. */
const LENGTH_MAX = 1_000;
/** The hosts of the same machine, as the beginning of an address, with whatever port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/**
 * Whether a program may be answered at the address: over HTTPS, or in the clear on the machine of whoever uses it (RFC 8252, 7.3).
 * Addresses of other schemes any program of a machine could claim.
 */
export function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.length > LENGTH_MAX || !/^[!-~]+$/.test(text)) return false;
  if (url.username !== "" || url.password !== "" || text.includes("#") || text.includes("\\")) return false;
  return url.protocol === "https:" ? text.startsWith("https://") : LOOPBACK.test(text);
}

/** Whether both are the same, character for character; on the own machine, the port is the one that was free (RFC 8252, 7.3). */
export function isSameRedirectUri(registered: string, asked: string): boolean {
  return registered === asked || (LOOPBACK.test(registered) && withoutPort(registered) === withoutPort(asked));
}

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, "$1");

/** Where the answer goes, for people. */
export function redirectHost(uri: string): { host: string; isThisMachine: boolean } {
  return { host: new URL(uri).host, isThisMachine: LOOPBACK.test(uri) };
}

/** Adds parameters to an address, which keeps its own (RFC 6749, 3.1.2). */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams(parameters).toString()}`;
}
