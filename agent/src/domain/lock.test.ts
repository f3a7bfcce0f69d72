import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SvcError } from "@svc/shared/errors.ts";
import {
  deployToEndFirst,
  freeLock,
  release,
  renew,
  requireHolder,
  take,
  type LockRef,
  type LockState,
} from "./lock.ts";

const start = new Date("2026-01-01T00:00:00Z");
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);
const a1: LockRef = { deployId: "a", attempt: 1 };
const a2: LockRef = { deployId: "a", attempt: 2 };
const b1: LockRef = { deployId: "b", attempt: 1 };

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
    const held = take(freeLock, a1, 30, at(0));
    expect(() => take(held, b1, 30, at(29))).toThrow(/Deploy a holds this server's lock since 2026-01-01T00:00:00/);
    expect(deployToEndFirst(held, b1, at(29))).toBeUndefined();
  });

  test("an ended lease is taken over once the old deploy's work has been ended", () => {
    const held = take(freeLock, a1, 30, at(0));
    expect(deployToEndFirst(held, b1, at(30))).toBe("a");
    expect(take(held, b1, 30, at(30)).held?.holder).toEqual(b1);
  });

  test("a renewed lease lasts from the renewal, also when it had ended meanwhile", () => {
    const held = renew(take(freeLock, a1, 30, at(0)), a1, 30, at(40));
    expect(held.held?.leaseUntil).toEqual(at(70));
    expect(held.held?.takenAt).toEqual(at(0));
  });

  test("a worker that was taken over can do nothing any more, also after the release", () => {
    const taken = take(take(freeLock, a1, 30, at(0)), a2, 30, at(1));
    for (const state of [taken, release(taken, a2)]) {
      expect(codeOf(() => take(state, a1, 30, at(2)))).toBe("stale_attempt");
      expect(codeOf(() => renew(state, a1, 30, at(2)))).toBe("stale_attempt");
      expect(codeOf(() => requireHolder(state, a1))).toBe("stale_attempt");
      expect(codeOf(() => release(state, a1))).toBe("stale_attempt");
    }
  });

  test("a worker that has not taken the lock is told to", () => {
    expect(codeOf(() => requireHolder(freeLock, a1))).toBe("stale_attempt");
    expect(codeOf(() => requireHolder(take(freeLock, a1, 30, at(0)), a2))).toBe("stale_attempt");
    expect(codeOf(() => requireHolder(take(freeLock, a1, 30, at(0)), b1))).toBe("lock_held");
  });

  test("whatever workers do, a live lease is never lost to another deploy and attempts never go down", () => {
    const command = fc.record({
      verb: fc.constantFrom("take", "renew", "release"),
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
          const before = state.held;
          const isStale = (highest.get(ref.deployId) ?? 0) > ref.attempt;
          const code = codeOf(() => {
            if (verb === "take") state = take(state, ref, 30, now);
            else if (verb === "renew") state = renew(state, ref, 30, now);
            else state = release(state, ref);
          });
          if (isStale) expect(code).toBe("stale_attempt");
          if (code === undefined && verb === "take") highest.set(ref.deployId, ref.attempt);
          const wasLiveElsewhere = before && before.holder.deployId !== ref.deployId && now < before.leaseUntil;
          if (wasLiveElsewhere || code !== undefined) expect(state.held).toEqual(before);
          if (code === undefined && verb !== "release") expect(state.held?.holder).toEqual(ref);
        }
      }),
    );
  });
});
