import type { StepName } from "./steps.ts";

/**
 * How long a run of each step may take on the agent, beside what its deploy allows for its source. Long enough for the
 * slowest honest run: a run beyond it is stuck, and holds the whole server's lock. Seconds.
 */
export const STEP_SECONDS: Readonly<Record<StepName, number>> = {
  provision_db: 300,
  // To wait for a turn to build, and to clean up.
  clone_build: 60,
  deploy_container: 180,
  proxy_route: 120,
};

/** The agent ends a fetch of a repository by itself after this time. */
export const FETCH_SECONDS_MAX = 600;

/** How long a deploy may fetch and build. */
export const BUILD_SECONDS_MAX = 1200;

/** An agent refuses any other time. */
export const SOURCE_SECONDS = { min: 10, max: 7200 } as const;

/** Lease of an agent's lock. */
export const LEASE_SECONDS = { min: 5, max: 300 } as const;

/** How long the control plane waits beyond the agent's own limit: the agent's answer says more. */
const BACKSTOP_SECONDS = 60;

/** How long the agent lets a run take, in milliseconds. @param sourceSeconds what the deploy allows to fetch, and to build, its source */
export function stepLimitMs(step: StepName, sourceSeconds: number): number {
  return (STEP_SECONDS[step] + sourceSeconds) * 1000;
}

/** How long the control plane waits for a step, in milliseconds. @param buildSeconds what a deploy may take to fetch and build */
export function stepBackstopMs(step: StepName, buildSeconds: number): number {
  const source = { provision_db: FETCH_SECONDS_MAX, clone_build: buildSeconds, deploy_container: 0, proxy_route: 0 };
  return stepLimitMs(step, source[step]) + BACKSTOP_SECONDS * 1000;
}
