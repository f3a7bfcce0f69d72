import { Resolver } from "node:dns/promises";
import { connect, createSecureContext, rootCertificates, type TLSSocket } from "node:tls";
import type { GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { DomainChecks, Handshake, TxtAnswer } from "../ports.ts";

/** Two tries of a second each: propagation is waited for by asking again, not by waiting here (architecture). */
const RESOLVER = { timeout: 1_000, tries: 2 };
/** For the look-up, the connection and the handshake together. */
const HANDSHAKE_MS_MAX = 10_000;
/** Not there yet, as opposed to a name server that could not say. */
const ABSENT: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

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
  const secureContext = createSecureContext({
    ca: caPem === "" ? [...rootCertificates] : [...rootCertificates, caPem],
  });

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

  async function handshake(domain: string): Promise<Handshake> {
    let socket: TLSSocket | undefined;
    try {
      const [host] = await outbound.addressesOf(domain);
      const options = { host: host!, port: httpsPort, servername: domain, secureContext, ALPNProtocols: ["http/1.1"] };
      socket = connect({ ...options, timeout: HANDSHAKE_MS_MAX });
      await secured(socket);
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
      return { error: error instanceof Error ? error.message : String(error) };
    } finally {
      socket?.destroy();
    }
  }

  return { txt, handshake };
}

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
    socket.once("timeout", () => reject(new Error(`no TLS handshake within ${HANDSHAKE_MS_MAX / 1000} s`)));
  });
}
