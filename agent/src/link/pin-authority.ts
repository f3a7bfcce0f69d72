import { createHash, X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate } from "node:tls";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ALPN_ENROLMENT, CONTROL_PLANE_NAME } from "@svc/shared/rules/fleet-identity.ts";
import { connectTls } from "./control-plane-tls.ts";

/**
 * The certificate of the fleet's authority, PEM, as the control plane at `address` presents it, if it has the
 * fingerprint that the join token names. Nothing is sent over this connection, and nothing else it says is believed.
 * @throws SvcError join_token_invalid when another fleet answers; the connection's error when none does
 */
export async function pinAuthority(address: HostPort, fingerprint: string, signal: AbortSignal): Promise<string> {
  const options = {
    // The chain can't be verified yet: its root is what is being looked for.
    rejectUnauthorized: false,
    servername: CONTROL_PLANE_NAME,
    ALPNProtocols: [ALPN_ENROLMENT],
    minVersion: "TLSv1.3",
  } as const;
  const socket = await connectTls(address, options, signal);
  try {
    const root = chainOf(socket.getPeerCertificate(true)).find((der) => sha256(der) === fingerprint);
    if (root) return new X509Certificate(root).toString();
  } finally {
    socket.destroy();
  }
  throw new SvcError(
    "join_token_invalid",
    `The server that answers at ${formatHostPort(address)} is not the control plane that made the join token; ` +
      "check SVC_CONTROL_PLANE, or make a new token there with `npm run admin -- server token`.",
  );
}

/** The certificates that the peer sent, DER, leaf first. */
function chainOf(leaf: DetailedPeerCertificate): Buffer[] {
  const chain: Buffer[] = [];
  for (let each: DetailedPeerCertificate | undefined = leaf; each?.raw; each = each.issuerCertificate) {
    if (chain.some((known) => known.equals(each!.raw))) break;
    chain.push(each.raw);
  }
  return chain;
}

function sha256(der: Buffer): string {
  return createHash("sha256").update(der).digest("hex");
}
