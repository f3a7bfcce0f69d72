import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { buildConnector, Client, type Dispatcher } from "undici";
import { forbiddenReason } from "./public-address.ts";
import { createHostResolver, isLoopbackName } from "./resolve-host.ts";

/** Two rounds of a system resolver's usual 5 s. */
const RESOLVE_MS_MAX = 10_000;
/** The most that is read of an answer that is of no use to us: a little is read so that it can finish in peace. */
const DISCARD_BYTES_MAX = 64 * 1024;
const DISCARD_MS_MAX = 1_000;
/** Headers of real answers stay far below. */
const HEADER_BYTES_MAX = 16 * 1024;

export interface OutboundPolicy {
  /** Ranges that may be reached although they are not public. */
  allowCidrs: readonly string[];
  /** Further authorities, PEM; empty for none. */
  caPem: string;
  /** `address[:port]` each; empty for the system's. */
  dnsServers: readonly string[];
}

export interface GuardedRequest {
  /** http or https, without credentials. */
  url: URL;
  method: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** The time from the look-up of the name to the answer's headers. */
  timeoutMs: number;
  /** Gives up the request when it is aborted. */
  signal?: AbortSignal;
}

/**
 * The one HTTP client for addresses that users give. It reaches public unicast addresses and what the policy adds;
 * nothing else, however it is written and whatever a name server answers.
 */
export interface GuardedFetch {
  /**
   * The addresses of the host, every one of which may be reached: one that may not refuses them all.
   * @param host as `URL.hostname` has it
   * @throws OutboundError
   */
  addressesOf(host: string): Promise<string[]>;
  /**
   * Sends one request, on a connection of its own, to an address that was checked for it: the name is looked up once.
   * Redirects are answers like any other; the body of the answer is discarded.
   * @throws OutboundError when there is no answer; the signal's reason when that was aborted
   */
  send(request: GuardedRequest): Promise<{ status: number }>;
  /**
   * Works as `send`, and gives the answer to `take`, which reads as much of its body as it likes, for as long as the
   * request's signal lets it. An error of its own that `take` throws is handed on.
   * @throws OutboundError also from the body, when the answer ends early
   */
  receive<T>(request: GuardedRequest, take: (answer: GuardedAnswer) => Promise<T>): Promise<T>;
}

export interface GuardedAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: AsyncIterable<Buffer>;
}

/** No answer, and why: `message` is a sentence for whoever gave the address. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
}

export function createGuardedFetch({ allowCidrs, caPem, dnsServers }: OutboundPolicy): GuardedFetch {
  const resolve = createHostResolver(dnsServers);
  // Is made once: parsing all roots takes longer than a request.
  const secureContext =
    caPem === "" ? undefined : createSecureContext({ ca: [...getCACertificates("default"), caPem] });

  async function addressesOf(host: string): Promise<string[]> {
    const name = host.replace(/^\[|\]$/g, "");
    const until = AbortSignal.timeout(RESOLVE_MS_MAX);
    const addresses = await unlessAborted(resolve(name), until).catch((cause: unknown) => {
      throw new OutboundError(`The name ${name} could not be looked up; try again later.`, { cause });
    });
    if (addresses.length === 0) throw new OutboundError(`There is no address for the name ${name}.`);
    const allowed = addresses.filter((address) => forbiddenReason(address, allowCidrs) === undefined);
    // Both of a loopback name's addresses are ours to choose from; a name server's answers are not.
    if (allowed.length === addresses.length || (isLoopbackName(name) && allowed.length > 0)) return allowed;
    const refused = addresses.find((address) => !allowed.includes(address))!;
    const reason = forbiddenReason(refused, allowCidrs);
    // Which one is not said: what the operator's own names lead to is no user's business.
    throw new OutboundError(
      `${name === refused ? name : `${name} leads to an address which`} ${reason}; only public addresses are reached. ` +
        "Whoever runs this service can allow others with SVC_OUTBOUND_ALLOW.",
    );
  }

  function send(request: GuardedRequest): Promise<{ status: number }> {
    return exchange(request, async ({ statusCode: status, body }) => {
      await discard(body);
      return { status };
    });
  }

  function receive<T>(request: GuardedRequest, take: (answer: GuardedAnswer) => Promise<T>): Promise<T> {
    return exchange(request, ({ statusCode: status, headers, body }) =>
      take({ status, headers, body: chunksOf(body, request.timeoutMs) }),
    );
  }

  async function exchange<T>(
    { url, method, headers, body, timeoutMs, signal }: GuardedRequest,
    take: (answer: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const until = signal ? AbortSignal.any([limit.signal, signal]) : limit.signal;
    let client: Client | undefined;
    let isAnswered = false;
    try {
      const addresses = await unlessAborted(addressesOf(url.hostname), until);
      client = new Client(url.origin, {
        connect: connectorTo(addresses, timeoutMs),
        maxHeaderSize: HEADER_BYTES_MAX,
        pipelining: 0,
      });
      const answer = await client.request({
        path: url.pathname + url.search,
        method,
        headers: { ...headers },
        body: body ?? null,
        signal: until,
      });
      clearTimeout(timer);
      isAnswered = true;
      return await take(answer);
    } catch (error) {
      signal?.throwIfAborted();
      if (isAnswered || error instanceof OutboundError) throw error;
      throw new OutboundError(failureSentence(error, limit.signal.aborted, timeoutMs), { cause: error });
    } finally {
      clearTimeout(timer);
      await client?.destroy();
    }
  }

  /** Connects to these addresses and to nothing else: no second look-up could lead elsewhere. */
  function connectorTo(addresses: readonly string[], timeoutMs: number): buildConnector.connector {
    const connect = buildConnector({
      lookup: pinnedLookup(addresses),
      timeout: timeoutMs,
      maxCachedSessions: 0,
      ...(secureContext && { secureContext }),
    });
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        const address = socket.remoteAddress ?? "";
        const reason = forbiddenReason(address, allowCidrs);
        if (reason === undefined) return callback(null, socket);
        socket.destroy();
        callback(new OutboundError(`The connection led to ${address}, which ${reason}.`), null);
      });
  }

  return { addressesOf, send, receive };
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, pinned);
    else callback(null, pinned[0]!.address, pinned[0]!.family);
  };
}

/** The network's failures have sentences; those of whoever reads the chunks are their own. */
async function* chunksOf(body: AsyncIterable<Buffer>, timeoutMs: number): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw new OutboundError(failureSentence(error, false, timeoutMs), { cause: error });
  }
}

/** Reads and drops a body. It changes nothing, so its failures do not either. */
async function discard(body: Dispatcher.ResponseData["body"]): Promise<void> {
  await body.dump({ limit: DISCARD_BYTES_MAX, signal: AbortSignal.timeout(DISCARD_MS_MAX) }).catch(() => undefined);
}

/** Name look-ups can't be aborted, so they are left to themselves. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => undefined);
  }
}

function failureSentence(error: unknown, isLate: boolean, timeoutMs: number): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (isLate || code === "UND_ERR_CONNECT_TIMEOUT") return `There was no answer within ${timeoutMs / 1000} s.`;
  if (code === "ECONNREFUSED") return "The connection was refused: nothing listens at this address and port.";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE") {
    return "The connection was closed before an answer came.";
  }
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") return "The address can't be reached.";
  if (/CERT|ALTNAME|ISSUER|SIGNATURE/.test(code)) return `The receiver's certificate can't be trusted (${code}).`;
  if (/SSL|TLS|EPROTO/.test(code)) return `No TLS connection could be made (${code}).`;
  if (code.startsWith("HPE_") || code.startsWith("UND_ERR_HEADERS")) return "The answer was not valid HTTP.";
  return code === "" ? "The request failed." : `The request failed (${code}).`;
}
