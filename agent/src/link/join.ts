import { createHash, X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate } from "node:tls";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { backoffMs } from "../platform/backoff.ts";
import { callEnrolment } from "./enrolment-client.ts";
import { createIdentity, type Identity } from "./identity.ts";
import { authorityFingerprint } from "./join-token.ts";
import { createSigningRequest, generateKey } from "./signing-request.ts";
import { ALPN_ENROLMENT, CONTROL_PLANE_NAME } from "@svc/shared/rules/fleet-identity.ts";
import { connectTls } from "./control-plane-tls.ts";

export interface JoinOptions {
  controlPlane: HostPort;
  token: string;
  /** Where this agent waits to be dialled; undefined when it dials out. */
  listen: HostPort | undefined;
  version: string;
  /** The host's former identity, when its certificate has expired: it keeps key and server. */
  former?: Identity | undefined;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Turns the one-time token into an identity. A control plane that is not there yet is waited for.
 * @throws SvcError when the control plane refuses, or is not the one that made the token; the signal's reason
 */
export async function joinFleet(options: JoinOptions): Promise<Identity> {
  const { former } = options;
  const fingerprint = authorityFingerprint(options.token);
  if (former) requireFleetOf(former, fingerprint);
  const keyPem = former?.keyPem ?? (await generateKey());
  for (let failures = 1; ; failures += 1) {
    try {
      return await joinOnce(options, fingerprint, keyPem);
    } catch (error) {
      if (error instanceof SvcError || options.signal.aborted) throw error;
      const controlPlane = formatHostPort(options.controlPlane);
      options.log.warn({ err: error, controlPlane }, "could not reach the control plane to join; trying again");
      await options.clock.sleep(backoffMs(failures), options.signal);
    }
  }
}

async function joinOnce(options: JoinOptions, fingerprint: string, keyPem: string): Promise<Identity> {
  const { controlPlane, token, listen, version, former, signal } = options;
  const authorityPem = await pinAuthority(controlPlane, fingerprint, signal);
  const request = {
    token: token.trim(),
    csrPem: await createSigningRequest(keyPem),
    listenAddress: listen ? formatHostPort(listen) : "",
    agentVersion: version,
    serverId: former?.serverId ?? "",
  };
  const joined = await callEnrolment(controlPlane, { authorityPem }, (client, call) => client.join(request, call));
  const { serverId, serverName, certificatePem } = joined;
  return createIdentity({ serverId, serverName, keyPem, certificatePem, authorityPem });
}

/** @throws SvcError join_token_invalid, before the token is used up */
function requireFleetOf({ authorityPem }: Identity, fingerprint: string): void {
  const own = new X509Certificate(authorityPem).fingerprint256.replaceAll(":", "").toLowerCase();
  if (own === fingerprint) return;
  throw new SvcError(
    "join_token_invalid",
    "The join token is for another fleet than this host's. Use a token of the host's own fleet, or start with an empty data directory.",
  );
}

/**
 * The certificate of the fleet's authority, PEM, as the control plane at `address` presents it, if it has the
 * fingerprint that the join token names. Nothing is sent over this connection, and nothing else it says is believed.
 * @throws SvcError join_token_invalid when another fleet answers; the connection's error when none does
 */
async function pinAuthority(address: HostPort, fingerprint: string, signal: AbortSignal): Promise<string> {
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
