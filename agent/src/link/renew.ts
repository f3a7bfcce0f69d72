import type { Clock } from "@svc/shared/platform/clock.ts";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { callEnrolment } from "./enrolment-client.ts";
import { createIdentity, type Identity } from "./identity.ts";
import { createSigningRequest } from "./signing-request.ts";

/** Timers take at most 24.8 days, and a host that slept has to look at the clock again. */
const NAP_MS_MAX = 3_600_000;
/** A control plane that restarts is back within seconds, and one that is away for long must not be hammered. */
const RETRY_MS = 250;
const RETRY_MS_MAX = 30_000;

interface Options {
  controlPlane: HostPort;
  listen: HostPort | undefined;
  version: string;
  identity: Identity;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  /** Goes over to the new identity. */
  use: (identity: Identity) => void;
  /** Keeps it for the next start; repeated until it has worked. */
  save: (identity: Identity) => Promise<void>;
}

/** When two thirds of the certificate's life are over: the last third is for a control plane that is away. */
export function renewalTime({ notBefore, notAfter }: Pick<Identity, "notBefore" | "notAfter">): Date {
  const life = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + (life * 2) / 3);
}

/** Renews the agent's certificate for as long as the signal lets it; resolves then. */
export async function keepCertificate(options: Options): Promise<void> {
  const { clock, log, signal } = options;
  let { identity } = options;
  let due = renewalTime(identity);
  let unsaved: Identity | undefined;
  async function work(): Promise<number> {
    if (clock.now() >= due) {
      identity = await renewOnce(options, identity);
      // Used before it is saved: a disk that is full must not let the link's certificate expire.
      options.use(identity);
      due = later(renewalTime(identity), halfway(clock.now(), identity.notAfter));
      unsaved = identity;
    }
    if (unsaved) {
      await options.save(unsaved);
      unsaved = undefined;
      log.info({ notAfter: identity.notAfter }, "renewed the agent's certificate");
    }
    return Math.min(due.getTime() - clock.now().getTime(), NAP_MS_MAX);
  }
  const failing = "could not renew or save the agent's certificate; trying again";
  await repeat({ everyMs: RETRY_MS, retryMsMax: RETRY_MS_MAX, failing, work, clock, log }, signal);
}

/**
 * A certificate is dated back for hosts whose clocks are slow; if it lives hardly longer than that, two thirds of its
 * life are over when it arrives, and without a pause one renewal would follow the other.
 */
function halfway(from: Date, to: Date): Date {
  return new Date((from.getTime() + to.getTime()) / 2);
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

async function renewOnce(options: Options, identity: Identity): Promise<Identity> {
  const { controlPlane, listen, version } = options;
  const request = {
    csrPem: await createSigningRequest(identity.keyPem),
    listenAddress: listen ? formatHostPort(listen) : "",
    agentVersion: version,
  };
  const trust = { authorityPem: identity.authorityPem, identity };
  const { certificatePem } = await callEnrolment(controlPlane, trust, (client, call) => client.renew(request, call));
  return createIdentity({ ...identity, certificatePem });
}
