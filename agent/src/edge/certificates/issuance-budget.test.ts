import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CUSTOM_ORDERS_OF_OWNER_MAX,
  CUSTOM_ORDERS_PER_HOUR_MAX,
  ORDERS_PER_HOUR_MAX,
  SUBDOMAIN_ORDERS_OF_OWNER_MAX,
  waitForBudget,
  withinTheHour,
  type Applicant,
  type Order,
} from "./issuance-budget.ts";

const MINUTE = 60_000;
const START = 1_800_000_000_000;

interface Asked {
  ownerId: string;
  isSubdomain: boolean;
  pauseMs: number;
}

/** Returns the orders that these questions lead to, and the time of the last question. */
function ordersAfter(asked: readonly Asked[]): { orders: Order[]; now: number } {
  let now = START;
  let orders: Order[] = [];
  for (const { ownerId, isSubdomain, pauseMs } of asked) {
    now += pauseMs;
    if (waitForBudget(orders, { host: "x.test", ownerId, isSubdomain }, now)) continue;
    orders = [...withinTheHour(orders, now), { at: now, ownerId, isSubdomain }];
  }
  return { orders, now };
}

const asker = (ownerId: fc.Arbitrary<string>, isSubdomain: fc.Arbitrary<boolean>): fc.Arbitrary<Asked[]> =>
  fc.array(fc.record({ ownerId, isSubdomain, pauseMs: fc.integer({ min: 0, max: 3 * MINUTE }) }), {
    minLength: 50,
    maxLength: 200,
  });

const custom = (ownerId: string): Applicant => ({ host: "shop.test", ownerId, isSubdomain: false });
const subdomain = (ownerId: string): Applicant => ({ host: "shop.apps.test", ownerId, isSubdomain: true });
const repeated = (applicant: Applicant, count: number): Asked[] =>
  Array.from({ length: count }, () => ({ ...applicant, pauseMs: 0 }));

test("whatever one owner orders, another finds the whole of their own share", () => {
  fc.assert(
    fc.property(asker(fc.constant("eve"), fc.boolean()), fc.boolean(), (asked, isSubdomain) => {
      const { orders, now } = ordersAfter(asked);
      const share = isSubdomain ? SUBDOMAIN_ORDERS_OF_OWNER_MAX : CUSTOM_ORDERS_OF_OWNER_MAX;
      const more: Order[] = [];
      for (let i = 0; i < share; i += 1) {
        expect(waitForBudget([...orders, ...more], { ...custom("ada"), isSubdomain }, now)).toBeUndefined();
        more.push({ at: now, ownerId: "ada", isSubdomain });
      }
    }),
    { numRuns: 50 },
  );
});

test("whatever custom domains of any owners order, the subdomains of apps find what is kept for them", () => {
  const owners = fc.constantFrom(..."abcdefghijklmnop");
  fc.assert(
    fc.property(asker(owners, fc.constant(false)), (asked) => {
      const { orders, now } = ordersAfter(asked);
      const more: Order[] = [];
      for (let i = 0; i < ORDERS_PER_HOUR_MAX - CUSTOM_ORDERS_PER_HOUR_MAX; i += 1) {
        const ownerId = i % 2 === 0 ? "a" : "b";
        expect(waitForBudget([...orders, ...more], subdomain(ownerId), now)).toBeUndefined();
        more.push({ at: now, ownerId, isSubdomain: true });
      }
    }),
    { numRuns: 50 },
  );
});

test("no hour has more orders than the authority is to see, whoever asks for whatever", () => {
  const owners = fc.constantFrom(..."abcdefghijklmnop");
  fc.assert(
    fc.property(asker(owners, fc.boolean()), (asked) => {
      const { orders } = ordersAfter(asked.map((each) => ({ ...each, pauseMs: each.pauseMs / 10 })));
      expect(orders.length).toBeLessThanOrEqual(ORDERS_PER_HOUR_MAX);
      expect(orders.filter(({ isSubdomain }) => !isSubdomain).length).toBeLessThanOrEqual(CUSTOM_ORDERS_PER_HOUR_MAX);
    }),
    { numRuns: 50 },
  );
});

test("an owner who has used a share up is told which one, and when it goes on", () => {
  const { orders } = ordersAfter([{ ...custom("ada"), pauseMs: 5 * MINUTE }, ...repeated(custom("ada"), 20)]);
  expect(waitForBudget(orders, custom("ada"), START + 30 * MINUTE)).toEqual({
    at: START + 65 * MINUTE,
    reason: "the share of one owner for custom domains, 6 certificates an hour, is used up",
    isBudget: true,
  });
  expect(waitForBudget(orders, custom("ada"), START + 65 * MINUTE)).toBeUndefined();
  expect(waitForBudget(orders, subdomain("ada"), START + 30 * MINUTE)).toBeUndefined();
});
