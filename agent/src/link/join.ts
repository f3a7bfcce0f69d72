import { X509Certificate } from "node:crypto";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { backoffMs } from "../platform/backoff.ts";
import { callEnrolment } from "./enrolment-client.ts";
import { createIdentity, type Identity } from "./identity.ts";
import { authorityFingerprint } from "./join-token.ts";
import { pinAuthority } from "./pin-authority.ts";
import { createSigningRequest, generateKey } from "./signing-request.ts";

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
