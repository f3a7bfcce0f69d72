import { join } from "node:path";
import type { Clock } from "@svc/shared/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import * as rules from "./domain/lock.ts";
import type { HeldLock, LockRef, LockState } from "./domain/lock.ts";
import { readIfPresent, writeDurably } from "./durable-file.ts";

/** The host's one deploy lock, on disk: it is held by a deploy, over restarts of the agent and of the control plane. */
export interface DeployLock {
  current(): HeldLock | undefined;
  /**
   * Takes the lock, renews it for the same deploy, or takes it over from a deploy whose lease has ended.
   * `endWorkOf` is awaited before a takeover: nothing of the former holder may run on.
   * @throws SvcError stale_attempt, lock_held
   */
  take(ref: LockRef, leaseSeconds: number, endWorkOf: (deployId: string) => Promise<unknown>): Promise<HeldLock>;
  /** @throws SvcError stale_attempt, lock_held */
  renew(ref: LockRef, leaseSeconds: number): Promise<HeldLock>;
  /** Idempotent. True when this call freed it. @throws SvcError stale_attempt */
  release(ref: LockRef): Promise<boolean>;
  /** @throws SvcError stale_attempt, lock_held unless `ref` holds the lock */
  requireHolder(ref: LockRef): void;
  /** @throws SvcError stale_attempt when a higher attempt of the deploy has been seen */
  requireNotStale(ref: LockRef): void;
  /** @throws SvcError lock_held while a deploy with a live lease holds the lock */
  requireFree(): void;
}

interface Options {
  dataDirectory: string;
  clock: Clock;
  /** Called after each change. */
  onChange?: (() => void) | undefined;
}

/** @throws SvcError internal when the lock's file can't be read */
export async function openLock({ dataDirectory, clock, onChange }: Options): Promise<DeployLock> {
  const path = join(dataDirectory, "lock.json");
  let state = await readState(path);
  let last: Promise<unknown> = Promise.resolve();
  /** The deploy whose work is being ended for another; nothing of it may begin meanwhile. */
  let leaving: string | undefined;

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
    current: () => state.held,
    take: async (ref, leaseSeconds, endWorkOf) => {
      const taken = change(async () => {
        const former = rules.deployToEndFirst(state, ref, clock.now());
        const next = rules.take(state, ref, leaseSeconds, clock.now());
        if (former === undefined) return next;
        leaving = former;
        await endWorkOf(former);
        return rules.take(state, ref, leaseSeconds, clock.now());
      });
      return heldOf(await taken.finally(() => (leaving = undefined)));
    },
    renew: async (ref, leaseSeconds) =>
      heldOf(await change(() => Promise.resolve(rules.renew(state, ref, leaseSeconds, clock.now())))),
    release: async (ref) => {
      let freed = false;
      await change(() => {
        const next = rules.release(state, ref);
        freed = next !== state;
        return Promise.resolve(next);
      });
      return freed;
    },
    requireHolder: (ref) => {
      const held = rules.requireHolder(state, ref);
      if (leaving === ref.deployId) throw rules.lockHeld(held);
    },
    requireNotStale: (ref) => rules.refuseStale(state, ref),
    requireFree: () => {
      const { held } = state;
      if (held && rules.isLive(held, clock.now())) throw rules.lockHeld(held);
    },
  };
}

function heldOf(state: LockState): HeldLock {
  if (!state.held) throw new Error("the lock was taken and is free");
  return state.held;
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

interface StoredState {
  held?: { holder: LockRef; takenAt: string; leaseUntil: string };
  attemptsSeen: LockRef[];
}

function parseState({ held, attemptsSeen }: StoredState): LockState {
  if (!Array.isArray(attemptsSeen)) throw new TypeError("attemptsSeen is not a list");
  return {
    held: held && {
      holder: { deployId: held.holder.deployId, attempt: held.holder.attempt },
      takenAt: parseDate(held.takenAt),
      leaseUntil: parseDate(held.leaseUntil),
    },
    attemptsSeen: attemptsSeen.map(({ deployId, attempt }) => ({ deployId, attempt })),
  };
}

function parseDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new TypeError(`${text} is no date`);
  return date;
}
