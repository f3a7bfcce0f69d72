import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  emptyIssuance,
  ORDERS_PER_HOUR_MAX,
  permissionFor,
  withCertificate,
  withFailure,
  withOrder,
  type Issuance,
} from "./issuance.ts";

const REFUSED = "HTTP 403 urn:ietf:params:acme:error:unauthorized - the challenge was not answered";
const LIMITED = "HTTP 429 urn:ietf:params:acme:error:rateLimited - too many new orders recently";
const AWAY = "performing request: dial tcp 127.0.0.1:14000: connect: connection refused";
const MINUTE = 60_000;
const START = 1_800_000_000_000;

const empty = emptyIssuance("ca-dir");
const failing = (host: string, reason: string, now: number, from: Issuance = empty): Issuance =>
  withFailure(withOrder(from, host, now), host, reason, now);
const minutesToWait = (issuance: Issuance, host: string, now: number): number =>
  (permissionFor(issuance, host, now).at - now) / MINUTE;

describe("a name", () => {
  it("may be ordered at first, and again while the order goes on", () => {
    expect(permissionFor(empty, "a.test", START).permitted).toBe(true);
    const ordered = withOrder(empty, "a.test", START);
    expect(permissionFor(ordered, "a.test", START + MINUTE).permitted).toBe(true);
    expect(withOrder(ordered, "a.test", START + MINUTE)).toBe(ordered);
  });

  it("waits longer after each failure: 1, 5, 30 minutes, 2 hours, then 6", () => {
    let issuance = empty;
    const waits = [];
    for (let now = START, i = 0; i < 6; i++) {
      issuance = failing("a.test", REFUSED, now, issuance);
      waits.push(minutesToWait(issuance, "a.test", now));
      now = permissionFor(issuance, "a.test", now).at;
      expect(permissionFor(issuance, "a.test", now - 1)).toMatchObject({ permitted: false, reason: REFUSED });
      expect(permissionFor(issuance, "a.test", now).permitted).toBe(true);
    }
    expect(waits).toEqual([1, 5, 30, 120, 360, 360]);
  });

  it("begins anew when its certificate has arrived", () => {
    const issuance = withCertificate(failing("a.test", REFUSED, START), "a.test");
    expect(permissionFor(issuance, "a.test", START).permitted).toBe(true);
    expect(minutesToWait(failing("a.test", REFUSED, START, issuance), "a.test", START)).toBe(1);
  });

  it("is not held up by a name that the authority refuses, or limits by itself", () => {
    const limited = "HTTP 429 urn:ietf:params:acme:error:rateLimited - too many failed authorizations (5) for a.test";
    for (const reason of [REFUSED, limited]) {
      expect(permissionFor(failing("a.test", reason, START), "b.test", START).permitted).toBe(true);
    }
  });

  it.each(["constructor", "valueof"])("may be called %s", (host) => {
    expect(permissionFor(empty, host, START).permitted).toBe(true);
    expect(permissionFor(failing(host, REFUSED, START), host, START).permitted).toBe(false);
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
    expect(permissionFor(issuance, "new.test", START).reason).toBe(reason);
  });

  it("that answers again is in trouble no more", () => {
    const troubled = failing("a.test", AWAY, START);
    for (const after of [withCertificate(troubled, "b.test"), failing("b.test", REFUSED, START, troubled)]) {
      expect(permissionFor(after, "new.test", START).permitted).toBe(true);
    }
  });

  it("is never asked for more new names within any hour than its budget allows", () => {
    const steps = fc.array(
      fc.record({ host: fc.integer({ min: 0, max: 300 }), pauseMs: fc.integer({ min: 0, max: 99_000 }) }),
      {
        minLength: 100,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(steps, (asked) => {
        let [issuance, now] = [empty, START];
        const orders: number[] = [];
        for (const { host, pauseMs } of asked) {
          now += pauseMs;
          if (!permissionFor(issuance, `${host}.test`, now).permitted) continue;
          const next = withOrder(issuance, `${host}.test`, now);
          if (next !== issuance) orders.push(now);
          issuance = next;
        }
        for (const at of orders) {
          expect(orders.filter((other) => other >= at && other < at + 60 * MINUTE).length).toBeLessThanOrEqual(
            ORDERS_PER_HOUR_MAX,
          );
        }
      }),
      { numRuns: 50 },
    );
  });
});

it("remembers a bounded number of names, and of each a bounded reason", () => {
  let issuance = empty;
  for (let i = 0; i < 2_100; i++) issuance = withFailure(issuance, `${i}.test`, "x".repeat(5_000), START + i);
  expect(Object.keys(issuance.hosts)).toHaveLength(2_000);
  expect(issuance.hosts["2099.test"]?.failure?.reason).toHaveLength(1_000);
});
