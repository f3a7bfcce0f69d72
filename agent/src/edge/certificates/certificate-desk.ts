import { readFileSync } from "node:fs";
import { PROXY_NAME } from "@svc/shared/net/proxy-name.ts";
import { authorityFolder, isInternal } from "./certificate-policy.ts";
import { emptyIssuance, permissionFor, withCertificate, withFailure, withOrder, type Issuance } from "./issuance.ts";
import type { Applicant, Order } from "./issuance-budget.ts";
import { isHostName } from "@svc/shared/rules/host-name.ts";
import type { Route } from "../routes.ts";
import { writeDurably } from "../../platform/durable-file.ts";
import type { BoundedLog } from "../caddy/bounded-log.ts";
import { createPolicyReader, issuanceFile, storedCertificate, type Validity } from "./certificate-files.ts";
import { fieldOf } from "../local-http.ts";

/** The proxy renews when a third of a certificate's life is left. */
const RENEWAL_SHARE = 1 / 3;

export interface CertificateState {
  /** ISO 8601; of the one from the ACME authority, when there is one. */
  notAfter?: string;
  /** Why the last order failed. */
  failure?: string;
  /** Which share of orders is used up, when the host waits for that. */
  usedUp?: string;
  /** ISO 8601; absent when an order is permitted now. */
  nextOrderAt?: string;
}

/** Gives the proxy permission for certificates, and hears from it what came of them. */
export interface CertificateDesk {
  /** @throws Error while route table or policy can't be read */
  mayHave(host: string): boolean;
  /** @throws Error while route table or policy can't be read */
  describe(host: string): CertificateState;
  /** A line of the proxy's log, JSON. */
  hear(line: string): void;
}

interface Options {
  dataDirectory: string;
  /** @throws Error while there is no table */
  lookUp(host: string): Route | undefined;
  log: BoundedLog;
}

export function createCertificateDesk({ dataDirectory, lookUp, log }: Options): CertificateDesk {
  const currentPolicy = createPolicyReader(dataDirectory);
  let issuance = readIssuance(dataDirectory);
  let written: Promise<void> = Promise.resolve();

  /** An order is in memory at once, on the disk soon: a crash between the two costs one more order. */
  function keep(next: Issuance): void {
    if (next === issuance) return;
    issuance = next;
    written = written
      .then(() => writeDurably(issuanceFile(dataDirectory), `${JSON.stringify(issuance)}\n`))
      .catch((error: unknown) => log("error", "what orders came to is not on the disk", { error: String(error) }));
  }

  /** Another authority knows nothing of what was ordered at the former one. */
  function useAuthority(directory: string): void {
    const authority = authorityFolder(directory);
    if (issuance.authority !== authority) keep(emptyIssuance(authority));
  }

  function mayOrder(route: Route, directory: string): boolean {
    useAuthority(directory);
    const now = Date.now();
    const { host } = route;
    const { permitted, reason, at } = permissionFor(issuance, applicantOf(route), now);
    if (permitted) keep(withOrder(issuance, applicantOf(route), now));
    else log("warn", "an order has to wait", { host, reason, until: new Date(at).toISOString() });
    return permitted;
  }

  return {
    mayHave(host) {
      if (host === PROXY_NAME) return true;
      const route = lookUp(host);
      if (!route) return false;
      const policy = currentPolicy();
      if (policy.acme === undefined || isInternal(host, policy)) return true;
      const stored = storedCertificate(dataDirectory, policy.acme.directory, host);
      const life = stored && lifeLeft(stored, Date.now());
      // Also for a handshake with a domain that has gone elsewhere; but its renewal would only fail.
      if (life !== undefined && life > 0 && (!route.pending || life > RENEWAL_SHARE)) return true;
      return !route.pending && mayOrder(route, policy.acme.directory);
    },
    describe(host) {
      const { acme } = currentPolicy();
      // The name becomes part of a path.
      if (!acme || !isHostName(host)) return {};
      const stored = storedCertificate(dataDirectory, acme.directory, host);
      const now = Date.now();
      const known = issuance.authority === authorityFolder(acme.directory) ? issuance : emptyIssuance("");
      const applicant = applicantOf(lookUp(host) ?? { host, appId: "" });
      const { permitted, reason, at, isBudget } = permissionFor(known, applicant, now);
      const failure = permitted ? (known.hosts[host]?.failure?.reason ?? "") : reason;
      return {
        ...(stored && { notAfter: new Date(stored.notAfter).toISOString() }),
        ...(failure !== "" && (isBudget ? { usedUp: failure } : { failure })),
        ...(!permitted && { nextOrderAt: new Date(at).toISOString() }),
      };
    },
    hear(line) {
      const event = parseEvent(line);
      if (!event) return;
      const { host, failure } = event;
      if (failure === undefined) return keep(withCertificate(issuance, host));
      log("warn", "an order failed", { host, failure });
      keep(withFailure(issuance, host, failure, Date.now()));
    },
  };
}

/** A table of an older agent tells neither owners nor subdomains: the stricter is assumed. */
function applicantOf(route: Pick<Route, "host" | "appId" | "ownerId" | "subdomain">): Applicant {
  const { host, appId, ownerId = appId, subdomain: isSubdomain = false } = route;
  return { host, ownerId, isSubdomain };
}

/** The share of its life that a certificate has before it; 0 or less when it has ended. */
function lifeLeft({ notBefore, notAfter }: Validity, now: number): number {
  return (notAfter - now) / (notAfter - notBefore);
}

/**
 * Reads from a line of the proxy's log how an order for a new name ended: certmagic's logger `tls.obtain` names the
 * name as `identifier`. Renewals are the proxy's own to repeat, with pauses of up to a day.
 */
export function parseEvent(line: string): { host: string; failure: string | undefined } | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  const host = fieldOf(entry, "identifier");
  if (fieldOf(entry, "logger") !== "tls.obtain" || typeof host !== "string") return undefined;
  const message = fieldOf(entry, "msg");
  if (message === "certificate obtained successfully") return { host, failure: undefined };
  if (message !== "could not get certificate from issuer") return undefined;
  return { host, failure: String(fieldOf(entry, "error") ?? "no reason was given") };
}

/** A file that can't be read is one that was never written: orders begin anew. */
function readIssuance(dataDirectory: string): Issuance {
  try {
    const stored = JSON.parse(readFileSync(issuanceFile(dataDirectory), "utf8")) as Partial<Issuance>;
    const orders = (stored.orders ?? []).map((order: Order | number) =>
      // Older name servers knew when alone: such an order counts against the whole, and against no owner.
      typeof order === "number" ? { at: order, ownerId: "", isSubdomain: true } : order,
    );
    return { ...emptyIssuance(""), ...stored, orders };
  } catch {
    return emptyIssuance("");
  }
}
