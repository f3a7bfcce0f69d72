import { OutboundError, type GuardedAnswer, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";

/** The metadata of large providers has 3 KiB, and their keys 10. */
const ANSWER_BYTES_MAX = 256 * 1024;

export interface ProviderGuards {
  /** Reaches every address: the operator has named the issuer, which may be in their own network. */
  toIssuer: GuardedFetch;
  /** Reaches what others that are named by users may be: the issuer's own answers name further addresses. */
  toOthers: GuardedFetch;
}

/** The part of `fetch` that openid-client uses. */
export type BoundedFetch = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal },
) => Promise<Response>;

/**
 * Makes the calls to a provider: over HTTPS but for an issuer on this machine, without following redirects, and for answers of
 * a bounded size. The whole answer is read before it is given on, within the time of the request's signal.
 */
export function createBoundedFetch(issuer: string, guards: ProviderGuards, timeoutMs: number): BoundedFetch {
  const { origin } = new URL(issuer);
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const isIssuers = url.origin === origin;
    if (url.protocol !== "https:" && !isIssuers) throw new OutboundError(`${url.origin} is not an https:// address.`);
    const guard = isIssuers ? guards.toIssuer : guards.toOthers;
    const request = {
      url,
      method: method === "POST" ? ("POST" as const) : ("GET" as const),
      headers,
      timeoutMs,
      ...(signal && { signal }),
      ...(body instanceof URLSearchParams && { body: Buffer.from(body.toString()) }),
    };
    return guard.receive(request, toResponse);
  };
}

async function toResponse({ status, headers, body }: GuardedAnswer): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new OutboundError(`The answer is larger than ${ANSWER_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  if (status < 200 || status > 599) throw new OutboundError(`The answer has the status ${status}.`);
  const type = headers["content-type"];
  return new Response(size === 0 ? null : Buffer.concat(chunks), {
    status,
    headers: typeof type === "string" ? { "Content-Type": type } : {},
  });
}
