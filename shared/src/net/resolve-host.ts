import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { parseHostPort } from "../platform/env.ts";

/** RFC 6761: never asked of a resolver; Node's does not know the names below `localhost`. */
const LOOPBACK = ["127.0.0.1", "::1"];
/** A name server on the internet answers within 200 ms; with the second try, a name costs 3 s at most. */
const QUERY_MS_MAX = 1_000;
const TRIES = 2;

/** All addresses of a host, v4 first; empty when there is none. Rejects when that could not be found out. */
export type ResolveHost = (host: string) => Promise<string[]>;

/** @param dnsServers `address[:port]` each; empty for the system's resolver, which knows /etc/hosts as well */
export function createHostResolver(dnsServers: readonly string[]): ResolveHost {
  const resolve = dnsServers.length === 0 ? systemLookup : lookupBy(dnsServers);
  return async (host) => {
    if (isIP(host) !== 0) return [host];
    if (isLoopbackName(host)) return LOOPBACK;
    return resolve(host);
  };
}

/** Whether the text is `address[:port]`, as a name server is given. */
export function isDnsServer(text: string): boolean {
  return isIP(isIP(text) === 0 ? (parseHostPort(text)?.host ?? "") : text) !== 0;
}

export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

async function systemLookup(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true, order: "ipv4first" })).map(({ address }) => address);
  } catch (error) {
    return noneOrThrow(error);
  }
}

function lookupBy(dnsServers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: QUERY_MS_MAX, tries: TRIES });
  resolver.setServers(dnsServers);
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return addresses;
    for (const answer of answers) if (answer.status === "rejected") noneOrThrow(answer.reason);
    return [];
  };
}

/** ENOTFOUND and ENODATA mean that there is none; anything else, that nobody could say. */
function noneOrThrow(error: unknown): [] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTFOUND" || code === "ENODATA") return [];
  throw error;
}
