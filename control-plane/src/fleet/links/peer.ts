import type { TLSSocket } from "node:tls";
import { hostKeyOf } from "../authority/certificates.ts";
import { identityFromSubjectAltName, type FleetIdentity } from "@svc/shared/rules/fleet-identity.ts";

export interface Peer {
  identity: FleetIdentity;
  /** End of its certificate's life. */
  notAfter: Date;
  hostKey: Buffer;
}

/**
 * Returns the peer; undefined without a valid certificate of the fleet's authority. Ask once: where we are the client,
 * Node hands the certificate out only the first time.
 */
export function peerOf(socket: TLSSocket): Peer | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  const identity = identityFromSubjectAltName(certificate?.subjectAltName);
  if (!certificate || !identity) return undefined;
  return { identity, notAfter: new Date(certificate.validTo), hostKey: hostKeyOf(certificate) };
}
