import { Resolver } from "node:dns/promises";
import { connect, createSecureContext, rootCertificates, type ConnectionOptions, type TLSSocket } from "node:tls";
import { OutboundError, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { PROXY_NAME } from "@svc/shared/net/proxy-name.ts";
import { createHostResolver } from "@svc/shared/net/resolve-host.ts";
import type { AddressAnswer, DomainChecks, Handshake, TxtAnswer } from "../ports.ts";

/** A look-up has two tries of a second each. Callers wait for propagation by asking again. */
const RESOLVER = { timeout: 1_000, tries: 2 };
/** Is for the look-up, the connection and the handshake together. */
const HANDSHAKE_MS_MAX = 10_000;
/** The proxy has the certificate of its own name already. */
const RECOGNITION_MS_MAX = 3_000;
/** This is more than any name of one server has; each costs a connection. */
const ADDRESSES_MAX = 8;
/** Not there yet, as opposed to a name server that could not say. */
const ABSENT: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

/** This host has no IPv6 (or no IPv4): an address of that kind can't be judged from here, so that the others decide. */
const WITHOUT_FAMILY: ReadonlySet<string> = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"]);

export interface DomainChecksOptions {
  /** `address[:port]` each; empty for the system's. */
  dnsServers: readonly string[];
  /** Guards where a handshake may go. */
  outbound: Pick<GuardedFetch, "addressesOf">;
  /** Further authorities that a certificate may come from, PEM; empty for none. */
  caPem: string;
  httpsPort: number;
}

export function createDomainChecks({ dnsServers, outbound, caPem, httpsPort }: DomainChecksOptions): DomainChecks {
  const resolve = createHostResolver(dnsServers);
  const secureContext = createSecureContext({
    ca: caPem === "" ? [...rootCertificates] : [...rootCertificates, caPem],
  });

  /**
   * The domain's addresses, all of which may be reached. Only these are connected to: a name server may say something
   * else each time it is asked. @throws OutboundError
   */
  async function reachable(domain: string, ownName: string): Promise<string[]> {
    const own = new Set(await resolve(ownName).catch(() => []));
    const addresses = await resolve(domain).catch(() => []);
    if (addresses.length > 0 && addresses.every((address) => own.has(address))) return addresses;
    return outbound.addressesOf(domain);
  }

  async function txt(record: string): Promise<TxtAnswer> {
    const resolver = new Resolver(RESOLVER);
    if (dnsServers.length > 0) resolver.setServers(dnsServers);
    try {
      // One record may come as several strings, which belong together (RFC 7208, 3.3).
      return { values: (await resolver.resolveTxt(record)).map((strings) => strings.join("")) };
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      return ABSENT.has(code) ? { values: [] } : { values: [], trouble: message };
    }
  }

  async function handshake(domain: string, ownName: string): Promise<Handshake> {
    let socket: TLSSocket | undefined;
    try {
      const [host] = await reachable(domain, ownName);
      const options = { host: host!, port: httpsPort, servername: domain, secureContext, ALPNProtocols: ["http/1.1"] };
      socket = await connected(options, HANDSHAKE_MS_MAX);
      const { issuer, valid_to, subjectaltname = "" } = socket.getPeerCertificate();
      const names = subjectaltname.split(", ").filter((name) => name.startsWith("DNS:"));
      return {
        cert: {
          issuer: [issuer.CN].flat().join(", "),
          notAfter: new Date(valid_to),
          dnsNames: names.map((name) => name.slice("DNS:".length)),
        },
      };
    } catch (error) {
      return { error: messageOf(error) };
    } finally {
      socket?.destroy();
    }
  }

  /** A handshake under the proxy's own name: only this server's proxy has a certificate for it from this root. */
  async function address(domain: string, server: { ownName: string; rootPem: string }): Promise<AddressAnswer> {
    let found: string[];
    try {
      found = await resolve(domain);
    } catch (error) {
      const detail = `The address record of ${domain} could not be looked up (${messageOf(error)}).`;
      return { leadsHere: false, detail, trouble: true };
    }
    if (found.length === 0) {
      return { leadsHere: false, detail: `There is no address record for ${domain} yet.`, trouble: false };
    }
    let addresses: string[];
    try {
      addresses = await reachable(domain, server.ownName);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      // Its owner has proven that the name is theirs.
      const detail = `${error.message} The address record of ${domain} says ${found.join(", ")}.`;
      return { leadsHere: false, detail, trouble: false };
    }
    let other: AddressAnswer | undefined;
    let recognised = 0;
    for (const host of addresses.slice(0, ADDRESSES_MAX)) {
      const options = { host, port: httpsPort, servername: PROXY_NAME, ca: server.rootPem };
      try {
        (await connected(options, RECOGNITION_MS_MAX)).destroy();
        recognised++;
      } catch (error) {
        const detail = `${domain} leads to ${host}, which is not the app's server (${messageOf(error)}).`;
        other = { leadsHere: false, detail, trouble: false };
        if (!WITHOUT_FAMILY.has((error as NodeJS.ErrnoException).code ?? "")) return other;
      }
    }
    return recognised === 0 && other ? other : { leadsHere: true };
  }

  return { txt, handshake, address };
}

/** A verified connection. @throws Error of the connection or the handshake */
function connected(options: ConnectionOptions, timeoutMs: number): Promise<TLSSocket> {
  const socket = connect(options);
  // The limit is of the whole, not of a pause: a peer that trickles would hold it for ever.
  const late = setTimeout(() => socket.destroy(new Error(`no TLS handshake within ${timeoutMs / 1000} s`)), timeoutMs);
  return new Promise<TLSSocket>((resolve, reject) => {
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", (error) => {
      socket.destroy();
      reject(error);
    });
  }).finally(() => clearTimeout(late));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
