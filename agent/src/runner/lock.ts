import { join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import * as rules from "./deploy-lock.ts";
import type { HeldLock, LockRef, LockScope, LockState } from "./deploy-lock.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";

/**
 * The host's deploy locks, on disk: one of a deploy, and one for each app that is rolled back. They are held over restarts of
 * the agent and of the control plane.
 */
export interface DeployLock {
  /** The lock of the deploy that holds the host. */
  current(): HeldLock | undefined;
  /** The deploys, with those of rollbacks. */
  held(): readonly HeldLock[];
  /**
   * Takes the lock, renews it for the same deploy, or takes it over from those whose lease has ended.
   * `endWorkOf` is awaited before a takeover: nothing of the former holder may run on.
   * @throws SvcError stale_attempt, lock_held
   */
  take(
    ref: LockRef,
    scope: LockScope,
    leaseSeconds: number,
    endWorkOf: (deployId: string) => Promise<unknown>,
  ): Promise<HeldLock>;
  /** @throws SvcError stale_attempt, lock_held */
  renew(ref: LockRef, leaseSeconds: number): Promise<HeldLock>;
  /** Idempotent. True when this call freed it. @throws SvcError stale_attempt */
  unlock(ref: LockRef): Promise<boolean>;
  /** @throws SvcError stale_attempt, lock_held unless `ref` holds the lock */
  requireHolder(ref: LockRef): void;
  /** @throws SvcError stale_attempt when a higher attempt of the deploy has been seen */
  requireNotStale(ref: LockRef): void;
  /** @throws SvcError lock_held while a deploy of any app, or a rollback of this one, holds a lock with a live lease */
  requireFree(appId: string): void;
  /** @throws SvcError lock_held while another deploy than `ref` holds the app with a live lease, stale_attempt as requireNotStale */
  requireFreeFor(ref: LockRef, appId: string): void;
}

interface Options {
  dataDirectory: string;
  clock: Clock;
  /** Is called after each change. */
  onChange?: (() => void) | undefined;
}

/** @throws SvcError internal when the lock's file can't be read */
export async function openLock({ dataDirectory, clock, onChange }: Options): Promise<DeployLock> {
  const path = join(dataDirectory, "lock.json");
  let state = await readState(path);
  let last: Promise<unknown> = Promise.resolve();
  /** The deploys whose work is being ended for another; nothing of them may begin meanwhile. */
  let leaving: readonly string[] = [];

  /** One change at a time; memory follows the disk, never the other way round. */
  function change(next: () => Promise<LockState>): Promise<LockState> {
    const result = last.then(async () => {
      const after = await next();
      if (after !== state) {
        await writeDurably(path, JSON.stringify(after));
        state = after;
        onChange?.();
      }
      return after;
    });
    last = result.catch(() => undefined);
    return result;
  }

  return {
    current: () => rules.hostLockOf(state),
    held: () => state.held,
    take: async (ref, scope, leaseSeconds, endWorkOf) => {
      const taken = change(async () => {
        const former = rules.deploysToEndFirst(state, ref, scope, clock.now());
        const next = rules.take(state, ref, scope, leaseSeconds, clock.now());
        if (former.length === 0) return next;
        leaving = former;
        for (const deployId of former) await endWorkOf(deployId);
        return rules.take(state, ref, scope, leaseSeconds, clock.now());
      });
      return rules.requireHolder(await taken.finally(() => (leaving = [])), ref);
    },
    renew: async (ref, leaseSeconds) =>
      rules.requireHolder(await change(() => Promise.resolve(rules.renew(state, ref, leaseSeconds, clock.now()))), ref),
    unlock: async (ref) => {
      let freed = false;
      await change(() => {
        const next = rules.unlock(state, ref);
        freed = next !== state;
        return Promise.resolve(next);
      });
      return freed;
    },
    requireHolder: (ref) => {
      const held = rules.requireHolder(state, ref);
      if (leaving.includes(ref.deployId)) throw rules.lockHeld(held);
    },
    requireNotStale: (ref) => rules.refuseStale(state, ref),
    requireFree: (appId) => {
      const isInTheWay = (each: HeldLock): boolean => !each.isRollback || rules.isOfApp(each, appId);
      const held = state.held.find((each) => isInTheWay(each) && rules.isLive(each, clock.now()));
      if (held) throw rules.lockHeld(held);
    },
    requireFreeFor: (ref, appId) => {
      rules.refuseStale(state, ref);
      const isInTheWay = (each: HeldLock): boolean =>
        each.holder.deployId !== ref.deployId && rules.isOfApp(each, appId) && rules.isLive(each, clock.now());
      const held = state.held.find(isInTheWay);
      if (held) throw rules.lockHeld(held);
    },
  };
}

async function readState(path: string): Promise<LockState> {
  const text = await readIfPresent(path);
  if (text === undefined) return rules.freeLock;
  try {
    return parseState(JSON.parse(text) as StoredState);
  } catch (cause) {
    const advice = "no deploy runs on this host now, so it may be removed; then start the agent again";
    throw new SvcError("internal", `The deploy lock in ${path} can't be read: ${advice}.`, { cause });
  }
}

interface StoredLock {
  holder: LockRef;
  takenAt: string;
  leaseUntil: string;
  appId?: string;
  isRollback?: boolean;
}

interface StoredState {
  /** One, of the host, in a file that an older agent wrote. */
  held?: StoredLock | StoredLock[];
  attemptsSeen: LockRef[];
}

function parseState({ held = [], attemptsSeen }: StoredState): LockState {
  if (!Array.isArray(attemptsSeen)) throw new TypeError("attemptsSeen is not a list");
  return {
    held: [held].flat().map(({ holder, takenAt, leaseUntil, appId, isRollback = false }) => ({
      holder: { deployId: holder.deployId, attempt: holder.attempt },
      takenAt: parseDate(takenAt),
      leaseUntil: parseDate(leaseUntil),
      appId,
      isRollback,
    })),
    attemptsSeen: attemptsSeen.map(({ deployId, attempt }) => ({ deployId, attempt })),
  };
}

function parseDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new TypeError(`${text} is no date`);
  return date;
}
