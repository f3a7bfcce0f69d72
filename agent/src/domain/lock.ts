/**
 * The rules of the host's one deploy lock, without time or disk of their own (proto/README.md, "Lock and lease").
 *
 *   free ── take ──► held ── renew ──► held ── release ──► free
 *                     │
 *                     └─ the lease ends; another deploy takes it, once the old one's work has been ended ──► held
 */
import { SvcError } from "@svc/shared/errors.ts";

/** Who asks: a deploy, and which of its workers. */
export interface LockRef {
  deployId: string;
  /** Raised each time a worker takes the deploy over; what a lower one asks is refused. */
  attempt: number;
}

export interface HeldLock {
  holder: LockRef;
  takenAt: Date;
  leaseUntil: Date;
}

export interface LockState {
  held: HeldLock | undefined;
  /** The highest attempt seen of each deploy, newest deploy last; outlives the release, so that a late worker is known. */
  attemptsSeen: readonly LockRef[];
}

/** A worker may be late by hours, not by weeks: a host makes far fewer deploys than this in that time. */
export const ATTEMPTS_REMEMBERED = 100;

export const freeLock: LockState = { held: undefined, attemptsSeen: [] };

/** The deploy whose work must be ended before `ref` may take the lock; undefined when it may do so at once. */
export function deployToEndFirst(state: LockState, ref: LockRef, now: Date): string | undefined {
  const { held } = state;
  if (!held || held.holder.deployId === ref.deployId) return undefined;
  return isLive(held, now) ? undefined : held.holder.deployId;
}

/** @throws SvcError stale_attempt, lock_held */
export function take(state: LockState, ref: LockRef, leaseSeconds: number, now: Date): LockState {
  refuseStale(state, ref);
  const { held } = state;
  const continued = held?.holder.deployId === ref.deployId;
  if (held && !continued && isLive(held, now)) throw lockHeld(held);
  return {
    held: { holder: ref, takenAt: continued ? held.takenAt : now, leaseUntil: after(now, leaseSeconds) },
    attemptsSeen: remember(state.attemptsSeen, ref),
  };
}

/**
 * Renews what is held, also after the lease ended as long as nobody else has taken it.
 * @throws SvcError stale_attempt, lock_held
 */
export function renew(state: LockState, ref: LockRef, leaseSeconds: number, now: Date): LockState {
  const held = requireHolder(state, ref);
  return { ...state, held: { ...held, leaseUntil: after(now, leaseSeconds) } };
}

/** Idempotent: a lock that somebody else holds, or nobody, is left alone. @throws SvcError stale_attempt */
export function release(state: LockState, ref: LockRef): LockState {
  refuseStale(state, ref);
  return isHolder(state, ref.deployId) ? { ...state, held: undefined } : state;
}

/** @throws SvcError stale_attempt, lock_held */
export function requireHolder(state: LockState, ref: LockRef): HeldLock {
  refuseStale(state, ref);
  const { held } = state;
  if (!held || (held.holder.deployId === ref.deployId && held.holder.attempt < ref.attempt)) {
    throw new SvcError(
      "stale_attempt",
      `Attempt ${ref.attempt} of deploy ${ref.deployId} does not hold this server's lock; it has to take it first.`,
    );
  }
  if (held.holder.deployId !== ref.deployId) throw lockHeld(held);
  return held;
}

export function isHolder(state: LockState, deployId: string): boolean {
  return state.held?.holder.deployId === deployId;
}

export function isLive(held: HeldLock, now: Date): boolean {
  return now < held.leaseUntil;
}

export function lockHeld(held: HeldLock): SvcError {
  return new SvcError(
    "lock_held",
    `Deploy ${held.holder.deployId} holds this server's lock since ${held.takenAt.toISOString()}, at least until ` +
      `${held.leaseUntil.toISOString()}; wait until it has ended, or cancel it.`,
  );
}

/** @throws SvcError stale_attempt */
export function refuseStale(state: LockState, ref: LockRef): void {
  const seen = state.attemptsSeen.find(({ deployId }) => deployId === ref.deployId);
  if (!seen || seen.attempt <= ref.attempt) return;
  throw new SvcError(
    "stale_attempt",
    `Attempt ${ref.attempt} of deploy ${ref.deployId} has been taken over by attempt ${seen.attempt}; it has to stop.`,
  );
}

function remember(seen: readonly LockRef[], ref: LockRef): LockRef[] {
  return [...seen.filter(({ deployId }) => deployId !== ref.deployId), ref].slice(-ATTEMPTS_REMEMBERED);
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
