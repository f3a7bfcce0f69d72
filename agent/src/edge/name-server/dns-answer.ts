import * as dns from "dns-packet";
import { addressOfContainerDnsName, containerDnsName, dialTargetsOf, UPSTREAM_ZONE, type Route } from "../routes.ts";

/** Where hosts that no container serves are sent: the name server's own pages. */
const FALLBACK_NAME = containerDnsName("", "127.0.0.1");

/** Seconds that others may keep an answer. None: the proxy has a time of its own for it. */
const TTL_SECONDS = 0;

/** RFC 1035, 4.1.1. */
const RCODE_SERVER_FAILURE = 2;
const RCODE_REFUSED = 5;

/**
 * The answer to one DNS query as a packet without a TCP length; undefined for what is no query. An SRV query for a host
 * that is unknown or stopped leads to the fallback pages. A table that can't be read is a server failure, which the
 * proxy retries.
 */
export function answerDnsQuery(
  packet: Buffer,
  lookUp: (host: string) => Route | undefined,
  fallbackPort: number,
): Buffer | undefined {
  const query = decodeQuery(packet);
  const question = query?.questions?.[0];
  if (!query || !question) return undefined;
  const reply = (rcode: number, answers: dns.Answer[]): Buffer =>
    dns.encode({
      type: "response",
      id: query.id ?? 0,
      flags: dns.AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & dns.RECURSION_DESIRED) | rcode,
      questions: [question],
      answers,
    });
  const name = question.name.toLowerCase();
  if (!name.endsWith(`.${UPSTREAM_ZONE}`)) return reply(RCODE_REFUSED, []);
  try {
    if (question.type === "SRV") return reply(0, srvRecords(question.name, name, lookUp, fallbackPort));
    if (question.type === "A") return reply(0, addressRecords(question.name, name));
    return reply(0, []);
  } catch {
    return reply(RCODE_SERVER_FAILURE, []);
  }
}

function decodeQuery(packet: Buffer): dns.DecodedPacket | undefined {
  try {
    const query = dns.decode(packet);
    return query.type === "query" && query.questions?.length === 1 ? query : undefined;
  } catch {
    return undefined;
  }
}

/** One for each copy of the container; without any the fallback pages answer. */
function srvRecords(
  asked: string,
  name: string,
  lookUp: (host: string) => Route | undefined,
  fallbackPort: number,
): dns.Answer[] {
  const route = lookUp(name.slice(0, -UPSTREAM_ZONE.length - 1));
  const targets = route?.state === "serving" ? dialTargetsOf(route) : [];
  const dialled = targets.length > 0 ? targets : [{ name: FALLBACK_NAME, port: fallbackPort }];
  return dialled.map(({ name: target, port }) => ({
    type: "SRV",
    name: asked,
    ttl: TTL_SECONDS,
    data: { priority: 0, weight: 0, target, port },
  }));
}

function addressRecords(asked: string, name: string): dns.Answer[] {
  const address = addressOfContainerDnsName(name);
  return address === undefined ? [] : [{ type: "A", name: asked, ttl: TTL_SECONDS, data: address }];
}
