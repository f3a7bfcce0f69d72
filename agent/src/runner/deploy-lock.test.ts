import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SvcError } from "@svc/shared/errors.ts";
import {
  deploysToEndFirst,
  freeLock,
  hostLockOf,
  unlock,
  renew,
  requireHolder,
  take,
  type HeldLock,
  type LockRef,
  type LockScope,
  type LockState,
} from "./deploy-lock.ts";

const start = new Date("2026-01-01T00:00:00Z");
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);
const a1: LockRef = { deployId: "a", attempt: 1 };
const a2: LockRef = { deployId: "a", attempt: 2 };
const b1: LockRef = { deployId: "b", attempt: 1 };
const shop: LockScope = { appId: "shop", isRollback: false };
const blog: LockScope = { appId: "blog", isRollback: false };
const rollbackOf = ({ appId }: LockScope): LockScope => ({ appId, isRollback: true });

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
};

describe("the deploy lock", () => {
  test("a live lease keeps other deploys out, and says who holds it since when", () => {
    const held = take(freeLock, a1, shop, 30, at(0));
    expect(() => take(held, b1, blog, 30, at(29))).toThrow(
      /Deploy a holds this server's lock since 2026-01-01T00:00:00/,
    );
    expect(deploysToEndFirst(held, b1, blog, at(29))).toEqual([]);
  });

  test("an ended lease is taken over once the old deploy's work has been ended", () => {
    const held = take(freeLock, a1, shop, 30, at(0));
    expect(deploysToEndFirst(held, b1, blog, at(30))).toEqual(["a"]);
    expect(take(held, b1, blog, 30, at(30)).held[0]?.holder).toEqual(b1);
  });

  test("a renewed lease lasts from the renewal, also when it had ended meanwhile", () => {
    const held = renew(take(freeLock, a1, shop, 30, at(0)), a1, 30, at(40));
    expect(held.held[0]?.leaseUntil).toEqual(at(70));
    expect(held.held[0]?.takenAt).toEqual(at(0));
  });

  test("a worker that was taken over can do nothing any more, also after it unlocked", () => {
    const taken = take(take(freeLock, a1, shop, 30, at(0)), a2, shop, 30, at(1));
    for (const state of [taken, unlock(taken, a2)]) {
      expect(codeOf(() => take(state, a1, shop, 30, at(2)))).toBe("stale_attempt");
      expect(codeOf(() => renew(state, a1, 30, at(2)))).toBe("stale_attempt");
      expect(codeOf(() => requireHolder(state, a1))).toBe("stale_attempt");
      expect(codeOf(() => unlock(state, a1))).toBe("stale_attempt");
    }
  });

  test("a worker that has not taken the lock is told to", () => {
    expect(codeOf(() => requireHolder(freeLock, a1))).toBe("stale_attempt");
    expect(codeOf(() => requireHolder(take(freeLock, a1, shop, 30, at(0)), a2))).toBe("stale_attempt");
    expect(codeOf(() => requireHolder(take(freeLock, a1, shop, 30, at(0)), b1))).toBe("lock_held");
  });

  test("whatever workers do, a live lease is never lost to another deploy and attempts never go down", () => {
    const command = fc.record({
      verb: fc.constantFrom("take", "renew", "unlock"),
      ref: fc.record({ deployId: fc.constantFrom("a", "b", "c"), attempt: fc.integer({ min: 1, max: 4 }) }),
      waitSeconds: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state: LockState = freeLock;
        let now = start;
        const highest = new Map<string, number>();
        for (const { verb, ref, waitSeconds } of commands) {
          now = new Date(now.getTime() + waitSeconds * 1000);
          const before = hostLockOf(state);
          const isStale = (highest.get(ref.deployId) ?? 0) > ref.attempt;
          const code = codeOf(() => {
            if (verb === "take") state = take(state, ref, blog, 30, now);
            else if (verb === "renew") state = renew(state, ref, 30, now);
            else state = unlock(state, ref);
          });
          if (isStale) expect(code).toBe("stale_attempt");
          if (code === undefined && verb === "take") highest.set(ref.deployId, ref.attempt);
          const wasLiveElsewhere = before && before.holder.deployId !== ref.deployId && now < before.leaseUntil;
          if (wasLiveElsewhere || code !== undefined) expect(hostLockOf(state)).toEqual(before);
          if (code === undefined && verb !== "unlock") expect(hostLockOf(state)?.holder).toEqual(ref);
        }
      }),
    );
  });
});

describe("the lock of a rollback", () => {
  const deploying = take(freeLock, a1, shop, 30, at(0));

  test("is taken beside another app's deploy, and keeps that from nothing", () => {
    const both = take(deploying, b1, rollbackOf(blog), 30, at(1));
    expect(both.held.map(({ holder }) => holder)).toEqual([a1, b1]);
    expect(requireHolder(both, a1).holder).toEqual(a1);
    expect(requireHolder(both, b1).holder).toEqual(b1);
    expect(hostLockOf(both)?.holder).toEqual(a1);
    expect(unlock(both, b1).held).toEqual(deploying.held);
    expect(take(unlock(both, a1), a2, shop, 30, at(2)).held).toHaveLength(2);
  });

  test("is refused while its app is deployed, and keeps deploys and rollbacks of its app out", () => {
    expect(codeOf(() => take(deploying, b1, rollbackOf(shop), 30, at(29)))).toBe("lock_held");
    const rolling = take(freeLock, a1, rollbackOf(shop), 30, at(0));
    for (const scope of [shop, rollbackOf(shop)]) {
      expect(codeOf(() => take(rolling, b1, scope, 30, at(29)))).toBe("lock_held");
      expect(deploysToEndFirst(rolling, b1, scope, at(30))).toEqual(["a"]);
      expect(take(rolling, b1, scope, 30, at(30)).held.map(({ holder }) => holder)).toEqual([b1]);
    }
  });

  test("an older control plane's deploy, whose app is not known, keeps every rollback out", () => {
    const held = take(freeLock, a1, { appId: undefined, isRollback: false }, 30, at(0));
    expect(codeOf(() => take(held, b1, rollbackOf(blog), 30, at(1)))).toBe("lock_held");
  });

  test("whatever is taken, no two live leases are of one app, and no two are deploys", () => {
    const command = fc.record({
      deployId: fc.constantFrom("a", "b", "c", "d"),
      scope: fc.record({ appId: fc.constantFrom("shop", "blog", undefined), isRollback: fc.boolean() }),
      waitSeconds: fc.integer({ min: 0, max: 20 }),
      isUnlock: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state: LockState = freeLock;
        let now = start;
        for (const { deployId, scope, waitSeconds, isUnlock } of commands) {
          now = new Date(now.getTime() + waitSeconds * 1000);
          const ref = { deployId, attempt: 1 };
          codeOf(() => (state = isUnlock ? unlock(state, ref) : take(state, ref, scope, 30, now)));
          const pairs = state.held.flatMap((one, i) => state.held.slice(i + 1).map((other) => [one, other] as const));
          const isClash = ([one, other]: readonly [HeldLock, HeldLock]): boolean =>
            one.appId === other.appId || (!one.isRollback && !other.isRollback);
          expect(pairs.filter(isClash)).toEqual([]);
        }
      }),
    );
  });
});
