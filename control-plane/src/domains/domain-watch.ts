import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import type { Db } from "../platform/database/database.ts";
import {
  claimDueDomains,
  readNextCheckMs,
  storeFindings,
  type DomainFindings,
  type DueDomain,
} from "./domain-checks.store.ts";
import type { AgentLinks, DomainChecks, Notifications } from "../ports.ts";
import type { HostSync } from "./host-sync.ts";
import { readProof } from "./ownership.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The shortest pause between two rounds, and the pause while domains are looked at. */
const POLL_MS = SECOND_MS;
/** The longest pause: a domain that another process has added is looked at, though the notification was lost. */
const REST_MS = 10 * SECOND_MS;
/** Look-ups and handshakes at a time: most of them wait for an answer. */
const AT_A_TIME_MAX = 32;
/** This is longer than the longest look: two look-ups, a recognition of each address, a handshake. */
const CLAIM_MS = MINUTE_MS;
/** A domain is set up within days, and its owner waits for it: the whole of DNS, order and handshake takes under 10 s. */
const PENDING_MS = 3 * SECOND_MS;
const SETTING_UP_MS = 7 * 24 * HOUR_MS;
/** The age of a domain that was left unfinished, or has gone elsewhere. */
const ABANDONED_MS = MINUTE_MS;
/** A name that leads elsewhere is noticed; well before a certificate's renewal. */
const ACTIVE_MS = 5 * MINUTE_MS;
const OWNER_MS = HOUR_MS;

export interface DomainWatchOptions {
  db: Db;
  links: AgentLinks;
  checks: DomainChecks;
  sync: HostSync;
  notifications: Notifications;
  appsDomain: string;
  clock: Clock;
  log: Logger;
}

/**
 * Looks at the custom domains of the servers that this process has a link to: does the address lead here, is a
 * certificate served, is the ownership still published. A domain that has come here is told to its agent first, and its
 * certificate is then ordered by the first handshake, which is made here.
 */
export function startDomainWatch(options: DomainWatchOptions): { name: string; stop(): Promise<void> } {
  const { db, links, notifications, clock, log } = options;
  const looks = new Set<Promise<void>>();

  /** @returns milliseconds until the next round */
  async function lookAtDue(): Promise<number> {
    const limit = AT_A_TIME_MAX - looks.size;
    if (limit <= 0) return POLL_MS;
    for (const due of await claimDueDomains(db, links.linkedServers(), { limit, claimMs: CLAIM_MS })) {
      const look = lookAt(options, due)
        .catch((error: unknown) => log.warn({ err: error, domain: due.domain }, "a domain could not be looked at"))
        .finally(() => looks.delete(look));
      looks.add(look);
    }
    if (looks.size > 0) return POLL_MS;
    const nextMs = (await readNextCheckMs(db, links.linkedServers())) ?? REST_MS;
    return Math.min(REST_MS, Math.max(POLL_MS, nextMs));
  }

  const watch = startRepeating("domain watch", {
    everyMs: POLL_MS,
    failing: "domains could not be looked at",
    work: lookAtDue,
    wakeOn: (wake) => {
      const subscriptions = [notifications.subscribe("routes", wake), links.onChange(wake)];
      return () => subscriptions.forEach((unsubscribe) => unsubscribe());
    },
    clock,
    log,
  });
  return {
    ...watch,
    async stop() {
      await watch.stop();
      await Promise.all(looks);
    },
  };
}

async function lookAt(options: DomainWatchOptions, due: DueDomain): Promise<void> {
  const { db, checks, sync, appsDomain, clock, log } = options;
  const { domain } = due;
  const ownName = `${due.app_name}.${appsDomain}`;
  const now = clock.now();
  const findings: DomainFindings = { ...(await lookAtOwnership(options, due, now)) };

  if (due.root_pem !== null && due.root_pem !== "") {
    const seen = await checks.address(domain, { ownName, rootPem: due.root_pem });
    // Name servers that can't say prove nothing, in either direction.
    const leadsHere = seen.leadsHere || (seen.trouble && due.leads_here);
    if (leadsHere !== due.leads_here) {
      log.info(
        { domain, leads_here: leadsHere, ...(!seen.leadsHere && { detail: seen.detail }) },
        "a domain has moved",
      );
      await storeFindings(db, domain, { leads_here: leadsHere }, CLAIM_MS);
    }
    // Each time, since an earlier call may have failed, or a deploy have begun before the change: a call without one
    // changes nothing.
    await sync.syncApp(due.app_id);
    findings.leads_here = leadsHere;
    findings.active = leadsHere && "cert" in (await checks.handshake(domain, ownName));
    if (findings.active && !due.active) log.info({ domain }, "a domain is active");
  }
  await storeFindings(db, domain, findings, nextLookMs(findings, now.getTime() - due.created_at.getTime()));
}

function nextLookMs({ active = false }: DomainFindings, ageMs: number): number {
  if (active) return ACTIVE_MS;
  return ageMs < SETTING_UP_MS ? PENDING_MS : ABANDONED_MS;
}

/** Proven once, it is looked at now and then; what is missing is shown and takes nothing away. */
async function lookAtOwnership(
  { db, checks, log }: DomainWatchOptions,
  due: DueDomain,
  now: Date,
): Promise<DomainFindings> {
  if (now.getTime() - due.owner_checked_at.getTime() < OWNER_MS) return {};
  const proof = await readProof(db, due.owner_id, due.domain);
  const { values, trouble } = await checks.txt(proof.record);
  if (trouble !== undefined) return {};
  const proven = values.includes(proof.value);
  if (proven !== due.owner_proven) log.warn({ domain: due.domain, proven }, "the ownership of a domain has changed");
  return { owner_proven: proven, owner_checked_at: now };
}
