import type { StepName } from "./steps.ts";

/** A build may spend what its owner allows, and this much to fetch, to wait for its turn and to clean up. */
const BUILD_SLACK_SECONDS = 60;

/** Long enough for the slowest honest run; a run beyond it is stuck. Each holds the whole server's lock. */
const SECONDS: Record<Exclude<StepName, "clone_build">, number> = {
  provision_db: 300,
  deploy_container: 180,
  proxy_route: 120,
};

/** How long a run may take, in milliseconds. @param sourceSeconds what the deploy allows to fetch, and to build, its source */
export function stepLimitMs(step: StepName, sourceSeconds: number): number {
  const seconds = sourceSeconds + (step === "clone_build" ? BUILD_SLACK_SECONDS : SECONDS[step]);
  return seconds * 1000;
}
