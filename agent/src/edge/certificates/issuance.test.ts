import { describe, expect, it } from "vitest";
import { emptyIssuance, permissionFor, withCertificate, withFailure, withOrder, type Issuance } from "./issuance.ts";
import type { Applicant } from "./issuance-budget.ts";

const REFUSED = "HTTP 403 urn:ietf:params:acme:error:unauthorized - the challenge was not answered";
const LIMITED = "HTTP 429 urn:ietf:params:acme:error:rateLimited - too many new orders recently";
const AWAY = "performing request: dial tcp 127.0.0.1:14000: connect: connection refused";
const MINUTE = 60_000;
const START = 1_800_000_000_000;

const empty = emptyIssuance("ca-dir");
/** Each name is another owner's. */
const by = (host: string): Applicant => ({ host, ownerId: host, isSubdomain: true });
const failing = (host: string, reason: string, now: number, from: Issuance = empty): Issuance =>
  withFailure(withOrder(from, by(host), now), host, reason, now);
const minutesToWait = (issuance: Issuance, host: string, now: number): number =>
  (permissionFor(issuance, by(host), now).at - now) / MINUTE;

describe("a name", () => {
  it("may be ordered at first, and again while the order goes on", () => {
    expect(permissionFor(empty, by("a.test"), START).permitted).toBe(true);
    const ordered = withOrder(empty, by("a.test"), START);
    expect(permissionFor(ordered, by("a.test"), START + MINUTE).permitted).toBe(true);
    expect(withOrder(ordered, by("a.test"), START + MINUTE)).toBe(ordered);
  });

  it("waits longer after each failure: 1, 5, 30 minutes, 2 hours, then 6", () => {
    let issuance = empty;
    const waits = [];
    for (let now = START, i = 0; i < 6; i++) {
      issuance = failing("a.test", REFUSED, now, issuance);
      waits.push(minutesToWait(issuance, "a.test", now));
      now = permissionFor(issuance, by("a.test"), now).at;
      expect(permissionFor(issuance, by("a.test"), now - 1)).toMatchObject({ permitted: false, reason: REFUSED });
      expect(permissionFor(issuance, by("a.test"), now).permitted).toBe(true);
    }
    expect(waits).toEqual([1, 5, 30, 120, 360, 360]);
  });

  it("begins anew when its certificate has arrived", () => {
    const issuance = withCertificate(failing("a.test", REFUSED, START), "a.test");
    expect(permissionFor(issuance, by("a.test"), START).permitted).toBe(true);
    expect(minutesToWait(failing("a.test", REFUSED, START, issuance), "a.test", START)).toBe(1);
  });

  it("is not held up by a name that the authority refuses, or limits by itself", () => {
    const limited = "HTTP 429 urn:ietf:params:acme:error:rateLimited - too many failed authorizations (5) for a.test";
    for (const reason of [REFUSED, limited]) {
      expect(permissionFor(failing("a.test", reason, START), by("b.test"), START).permitted).toBe(true);
    }
  });

  it.each(["constructor", "valueof"])("may be called %s", (host) => {
    expect(permissionFor(empty, by(host), START).permitted).toBe(true);
    expect(permissionFor(failing(host, REFUSED, START), by(host), START).permitted).toBe(false);
  });
});

describe("an authority", () => {
  it.each([LIMITED, AWAY])("that is in trouble makes all names wait, ever longer: %s", (reason) => {
    let issuance = empty;
    const waits = [];
    for (let i = 0; i < 4; i++) {
      issuance = failing(`name-${i}.test`, reason, START, issuance);
      waits.push(minutesToWait(issuance, "new.test", START));
    }
    expect(waits).toEqual([1, 5, 10, 10]);
    expect(permissionFor(issuance, by("new.test"), START).reason).toBe(reason);
  });

  it("that answers again is in trouble no more", () => {
    const troubled = failing("a.test", AWAY, START);
    for (const after of [withCertificate(troubled, "b.test"), failing("b.test", REFUSED, START, troubled)]) {
      expect(permissionFor(after, by("new.test"), START).permitted).toBe(true);
    }
  });
});

it("a bounded number of names is remembered, each with a bounded reason", () => {
  const name = (i: number): string => `${i}.test`;
  const failed = (at: number) => ({ orderedAt: at, failure: { count: 1, at, reason: REFUSED } });
  let issuance: Issuance = {
    ...empty,
    hosts: Object.fromEntries(Array.from({ length: 1_990 }, (_, i) => [name(i), failed(START + i)])),
  };
  for (let i = 1_990; i < 2_100; i++) issuance = withFailure(issuance, name(i), "x".repeat(5_000), START + i);
  expect(Object.keys(issuance.hosts)).toHaveLength(2_000);
  expect(issuance.hosts["2099.test"]?.failure?.reason).toHaveLength(1_000);
});
