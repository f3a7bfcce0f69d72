/**
 * The rules of the host's deploy locks, without time or disk of their own (proto/README.md, "Lock and lease"). At most one
 * deploy holds the host; a rollback holds its app, beside a deploy of any other app.
 *
 *   free ── take ──► held ── renew ──► held ── unlock ──► free
 *                     │
 *                     └─ the lease ends; another takes it, once the old one's work has been ended ──► held
 */
import { SvcError } from "@svc/shared/errors.ts";

/** The caller: a deploy, and which of its workers. */
export interface LockRef {
  deployId: string;
  /** Raised each time a worker takes the deploy over; what a lower one asks is refused. */
  attempt: number;
}

/** The app and server that a deploy keeps others from. */
export interface LockScope {
  /** Is undefined of an older control plane, which does not tell: it may be any. */
  appId: string | undefined;
  /** Keeps out what is of its app alone, rather than all deploys. */
  isRollback: boolean;
}

export interface HeldLock extends LockScope {
  holder: LockRef;
  takenAt: Date;
  leaseUntil: Date;
}

export interface LockState {
  held: readonly HeldLock[];
  /** The highest attempt seen of each deploy, newest deploy last; outlives the lock, so that a late worker is known. */
  attemptsSeen: readonly LockRef[];
}

/** A worker may be late by hours, not by weeks: a host makes far fewer deploys than this in that time. */
const ATTEMPTS_REMEMBERED = 100;

export const freeLock: LockState = { held: [], attemptsSeen: [] };

/** The deploys whose work must be ended before `ref` may take the lock; none while one of them has a live lease. */
export function deploysToEndFirst(state: LockState, ref: LockRef, scope: LockScope, now: Date): string[] {
  const others = conflicting(state, ref, scope);
  return others.some((held) => isLive(held, now)) ? [] : others.map(({ holder }) => holder.deployId);
}

/** @throws SvcError stale_attempt, lock_held */
export function take(state: LockState, ref: LockRef, scope: LockScope, leaseSeconds: number, now: Date): LockState {
  refuseStale(state, ref);
  const others = conflicting(state, ref, scope);
  const live = others.find((held) => isLive(held, now));
  if (live) throw lockHeld(live);
  const own = ownOf(state, ref.deployId);
  const held = { ...scope, holder: ref, takenAt: own?.takenAt ?? now, leaseUntil: after(now, leaseSeconds) };
  return {
    held: [...state.held.filter((each) => each !== own && !others.includes(each)), held],
    attemptsSeen: remember(state.attemptsSeen, ref),
  };
}

/**
 * Renews what is held, also after the lease ended as long as nobody else has taken it.
 * @throws SvcError stale_attempt, lock_held
 */
export function renew(state: LockState, ref: LockRef, leaseSeconds: number, now: Date): LockState {
  const own = requireHolder(state, ref);
  const renewed = { ...own, leaseUntil: after(now, leaseSeconds) };
  return { ...state, held: state.held.map((held) => (held === own ? renewed : held)) };
}

/** Idempotent: a lock that somebody else holds, or nobody, is left alone. @throws SvcError stale_attempt */
export function unlock(state: LockState, ref: LockRef): LockState {
  refuseStale(state, ref);
  const own = ownOf(state, ref.deployId);
  return own ? { ...state, held: state.held.filter((held) => held !== own) } : state;
}

/** @throws SvcError stale_attempt, lock_held */
export function requireHolder(state: LockState, ref: LockRef): HeldLock {
  refuseStale(state, ref);
  const own = ownOf(state, ref.deployId);
  if (own && own.holder.attempt >= ref.attempt) return own;
  const hostLock = hostLockOf(state);
  if (!own && hostLock) throw lockHeld(hostLock);
  throw new SvcError(
    "stale_attempt",
    `Attempt ${ref.attempt} of deploy ${ref.deployId} does not hold this server's lock; it has to take it first.`,
  );
}

/** The lock of the one deploy that holds the whole host. */
export function hostLockOf({ held }: LockState): HeldLock | undefined {
  return held.find(({ isRollback }) => !isRollback);
}

/** True for a lock of the app, or of a deploy that may be the app's. */
export function isOfApp({ appId }: LockScope, app: string | undefined): boolean {
  return appId === undefined || app === undefined || appId === app;
}

export function isLive(held: HeldLock, now: Date): boolean {
  return now < held.leaseUntil;
}

export function lockHeld({ holder, takenAt, leaseUntil, isRollback }: HeldLock): SvcError {
  const what = isRollback
    ? `Rollback ${holder.deployId} holds this app`
    : `Deploy ${holder.deployId} holds this server's lock`;
  return new SvcError(
    "lock_held",
    `${what} since ${takenAt.toISOString()}, at least until ${leaseUntil.toISOString()}; wait until it has ended, or ` +
      "cancel it.",
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

function conflicting({ held }: LockState, { deployId }: LockRef, scope: LockScope): HeldLock[] {
  const isAnyRollback = (other: HeldLock): boolean => other.isRollback || scope.isRollback;
  return held.filter(
    (other) => other.holder.deployId !== deployId && (!isAnyRollback(other) || isOfApp(other, scope.appId)),
  );
}

function ownOf({ held }: LockState, deployId: string): HeldLock | undefined {
  return held.find(({ holder }) => holder.deployId === deployId);
}

function remember(seen: readonly LockRef[], ref: LockRef): LockRef[] {
  return [...seen.filter(({ deployId }) => deployId !== ref.deployId), ref].slice(-ATTEMPTS_REMEMBERED);
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
