import { hash } from "node:crypto";
import { isIPv6 } from "node:net";
import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import { retryAfterSeconds, type Rate } from "../../rate.ts";
import { takeAttemptToken } from "./attempts.store.ts";

interface LimitedRate extends Rate {
  /** Counts all addresses that one subscriber has as one. */
  byNetwork?: true;
  /** Counts all networks that one organisation has as one. */
  bySite?: true;
}

/** How often something may be tried; the names are a part of what is stored. */
const RATES = {
  /** Of one network address, whatever it tries: an office behind one address signs in in the morning. */
  address: { perMinute: 20, burst: 60, byNetwork: true },
  /** Passwords for one account: at most 1,450 guesses a day, from however many addresses. */
  password: { perMinute: 1, burst: 10 },
  /** Passwords for one's own account, by whoever is signed in there. */
  ownPassword: { perMinute: 1, burst: 10 },
  /** Mails to one address. */
  mail: { perMinute: 1 / 15, burst: 3 },
  /** Resets of one account: whoever causes other mails to its address must not keep its owner from one. */
  reset: { perMinute: 1 / 15, burst: 3 },
  /** Invitations to one address. */
  invitation: { perMinute: 1 / 15, burst: 3 },
  /** Invitations of one person: a large team at once, and no mails to everybody. */
  inviter: { perMinute: 1 / 2, burst: 50 },
  /** Keys that one person makes: each leaves a row, also once it was revoked, and a mail. */
  key: { perMinute: 1 / 2, burst: 120 },
  /** Exports of one person's data, each of which reads up to 10,000 entries. */
  export: { perMinute: 1 / 5, burst: 5 },
  /** Codes of 6 digits, of which 3 are valid at a time: less than one chance in 1,000 a day for who has the password. */
  code: { perMinute: 1 / 5, burst: 5 },
  /** Sign-ins with one passkey: a signature can't be guessed, but each is work. */
  passkey: { perMinute: 2, burst: 20 },
  /** User codes that one account enters: at most 2,900 a day, each of which hits an open one once in 25,000 million. */
  userCode: { perMinute: 2, burst: 20 },
  userCodeAddress: { perMinute: 10, burst: 60, byNetwork: true },
  /** New device codes: as each lives for 10 minutes, at most 20 of one network are open. */
  deviceCode: { perMinute: 1, burst: 10, byNetwork: true },
  /** Programs that register: each stays for a day at least. */
  oauthClient: { perMinute: 1 / 10, burst: 20, byNetwork: true },
  /** The same of a site, since a tunnel gives away 65,536 networks at once. */
  oauthClientSite: { perMinute: 1 / 4, burst: 100, bySite: true },
  /** Codes that are exchanged: a guess hits none of 2^256. */
  oauthToken: { perMinute: 30, burst: 60, byNetwork: true },
  /** A client that waits asks 12 times a minute: twenty in one network may wait at once. */
  devicePoll: { perMinute: 240, burst: 120, byNetwork: true },
} as const satisfies Record<string, LimitedRate>;

export type AttemptKind = keyof typeof RATES;

/**
 * Counts an attempt, also one that succeeds. Accounts that do not exist are counted as others are, so that the limit
 * tells nobody which ones do.
 * @param subject the address, or what names the account
 * @throws SvcError rate_limited
 */
export async function limitAttempts(db: Db, kind: AttemptKind, subject: string): Promise<void> {
  const rate: LimitedRate = RATES[kind];
  const key = hash("sha256", `${kind}:${subjectOf(rate, subject)}`, "buffer");
  const missing = await takeAttemptToken(db, key, rate);
  if (missing === 0) return;
  const seconds = retryAfterSeconds(missing, rate);
  throw new SvcError("rate_limited", `There were too many attempts. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
}

function subjectOf({ byNetwork, bySite }: LimitedRate, subject: string): string {
  if (bySite) return siteOf(subject);
  return byNetwork ? networkOf(subject) : subject.toLowerCase();
}

/** An organisation, or who asks a broker of tunnels, has the 2^16 networks of a /48 (RFC 6177). */
export function siteOf(address: string): string {
  const network = networkOf(address);
  return network.includes(":") ? network.split(":").slice(0, 3).join(":") : network;
}

/** Whoever has one IPv6 address has the 2^64 of its network. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address.replace(/^::ffff:/i, "");
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - after.length).fill("0");
  return [...groups, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
