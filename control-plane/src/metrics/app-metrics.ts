import { WINDOW_SECONDS, WINDOWS_KEPT_SECONDS } from "@svc/shared/rules/metrics/metrics-window.ts";
import { invalid } from "../platform/invalid.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** An agent's clock may be ahead of ours by this much. Seconds. */
export const CLOCK_AHEAD_SECONDS_MAX = 60;

export interface Resolution {
  /** Seconds. */
  step: number;
  keptSeconds: number;
  /** The length of the ring: what is kept, what is being counted, and what a clock that is ahead has begun. */
  slots: number;
}

const resolution = (step: number, keptSeconds: number): Resolution => ({
  step,
  keptSeconds,
  slots: keptSeconds / step + 2 + Math.ceil(CLOCK_AHEAD_SECONDS_MAX / step),
});

/** Windows as agents tell them. */
export const WINDOWS = resolution(WINDOW_SECONDS, WINDOWS_KEPT_SECONDS);

/** Windows are added up to these. */
export const ROLL_UPS: readonly Resolution[] = [resolution(MINUTE, DAY), resolution(10 * MINUTE, 30 * DAY)];

const RESOLUTIONS = [WINDOWS, ...ROLL_UPS];

/** The steps that may be asked for; hours are added up when they are read. Seconds. */
export const STEPS = [10, 60, 600, 3600] as const;
type Step = (typeof STEPS)[number];

/** The most points in an answer. */
const POINTS_MAX = 2_000;

/** Two clocks and a request's way lie between "an hour ago" and the moment of the answer. Seconds. */
const LATE_SECONDS_MAX = 60;

/** A range of whole steps; seconds since 1970. */
export interface Range {
  step: Step;
  since: number;
  until: number;
  /** The end that was asked for, which the last step does not reach. */
  askedUntil: number;
}

/**
 * The range that is asked for, in steps that have ended: by default the last hour, in the smallest step that is kept for as
 * long and gives 2,000 points at most.
 * @throws SvcError invalid_request
 */
export function rangeOf(
  asked: { since?: Date | undefined; until?: Date | undefined; step?: number | undefined },
  now: Date,
): Range {
  const nowSeconds = now.getTime() / 1000;
  const until = Math.min(asked.until ? asked.until.getTime() / 1000 : nowSeconds, nowSeconds);
  const since = asked.since ? asked.since.getTime() / 1000 : until - HOUR;
  if (since >= until) throw invalid("since must be before until, and in the past.");
  const kept = STEPS.filter((step) => nowSeconds - since <= keptSecondsOf(step) + LATE_SECONDS_MAX);
  if (kept.length === 0) throw invalid("Metrics are kept for 30 days: ask for a later since.");
  const fitting = kept.filter((step) => (until - since) / step <= POINTS_MAX);
  const step = asked.step ?? fitting[0]!;
  if (!kept.some((each) => each === step)) {
    throw invalid(`Values by ${step} s are not kept for that long: leave step out, or ask for a later since.`);
  }
  if (!fitting.some((each) => each === step)) {
    throw invalid(`A step of ${step} s gives more than ${POINTS_MAX} points: leave step out, or ask for less time.`);
  }
  const whole = (seconds: number): number => Math.floor(seconds / step) * step;
  return { step: step as Step, since: whole(since), until: whole(until), askedUntil: until };
}

function keptSecondsOf(step: Step): number {
  return storedStepOf(step).keptSeconds;
}

/** The largest step that is stored and divides it. */
export function storedStepOf(step: Step): Resolution {
  return RESOLUTIONS.findLast((stored) => step % stored.step === 0)!;
}
