import { checkServerIdentity, connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from "node:tls";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { CONTROL_PLANE_NAME, identityFromSubjectAltName } from "@svc/shared/rules/fleet-identity.ts";
import type { Identity } from "./identity.ts";

/** A handshake takes milliseconds; a peer that needs longer is not there. */
const CONNECT_MS = 10_000;

/**
 * How a control plane is verified: a chain to the fleet's authority, its name, and its role. The certificates of the
 * fleet's servers come from the same authority and must not pass for one.
 */
export function controlPlaneTls(authorityPem: string, identity?: Pick<Identity, "keyPem" | "certificatePem">) {
  return {
    ca: authorityPem,
    ...(identity && { key: identity.keyPem, cert: identity.certificatePem }),
    servername: CONTROL_PLANE_NAME,
    minVersion: "TLSv1.3",
    checkServerIdentity: requireControlPlane,
  } as const satisfies ConnectionOptions;
}

function requireControlPlane(hostname: string, certificate: PeerCertificate): Error | undefined {
  const mismatch = checkServerIdentity(hostname, certificate);
  if (mismatch) return mismatch;
  const role = identityFromSubjectAltName(certificate.subjectaltname)?.role;
  return role === "control-plane" ? undefined : new Error(`the peer has the role ${role ?? "none"}, not control-plane`);
}

/** A connection whose handshake is done. Rejects with what went wrong, or the signal's reason. */
export function connectTls(address: HostPort, options: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ ...options, ...address });
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off("error", settle);
      if (!error) return resolve(socket);
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const onAbort = (): void => settle(signal.reason as Error);
    const timer = setTimeout(() => settle(new Error(`no TLS connection within ${CONNECT_MS / 1000} s`)), CONNECT_MS);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("error", settle);
    socket.once("secureConnect", () => settle());
  });
}
