import { BUILD_SECONDS_MAX, LEASE_SECONDS } from "@svc/shared/rules/step-limits.ts";
import type { Kysely } from "kysely";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Redactors } from "@svc/shared/redaction/redactors.ts";
import type { Database } from "../../platform/database/schema.ts";
import type { Hosting } from "../../repositories/hosting/hosting.ts";
import type { AgentLinks, KeyRing, Notifications } from "../../ports.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { Claim } from "../deploy-claims.store.ts";
import type { DeployInputs } from "../inputs/deploy-inputs.ts";
import type { PipelinePolicy } from "../inputs/pipeline-policy.ts";
import type { AppFacts } from "../inputs/pipeline-inputs.store.ts";

export interface PipelineContext {
  db: Kysely<Database>;
  links: AgentLinks;
  notifications: Notifications;
  keyRing: KeyRing;
  redactors: Redactors;
  hosting: Hosting;
  clock: Clock;
  log: Logger;
  policy: PipelinePolicy;
  timing: PipelineTiming;
}

/**
 * A link that is cut for a minute, an agent that is upgraded and a host that is rebooted (one to three minutes) cost no
 * deploy. The longest lease that an agent gives, so that the lock is the deploy's own for all of it.
 */
const LEASE = LEASE_SECONDS.max;

export interface PipelineTiming {
  /** How long a claim stands without renewal. */
  claimMs: number;
  claimRenewMs: number;
  /** Lease of the agent's lock. */
  leaseSeconds: number;
  /** How long a running deploy waits for an agent that went away; a step that runs there meanwhile goes on. */
  agentAwayMs: number;
  /** The same for a move: while its app is refused, to serve where it was is worth more than to arrive. */
  moveAwayMs: number;
  /** How long an agent that is linked may take to answer about its lock; more means that it hangs. */
  answerMs: number;
  /** How long after the end of its claim an unattended deploy is failed. */
  abandonedMs: number;
  /** The slow look at the queue, for notifications that were lost. */
  pollMs: number;
  buildSeconds: number;
  probeSeconds: number;
}

/**
 * No deploy stays `running` without a worker for more than 60 s: the claim of a worker whose process is
 * gone, or has lost the agent's link, is not waited for; any other ends after at most 20 s. Whoever has the link goes on
 * then, and after 30 s more a process without it fails the deploy.
 */
export const pipelineTiming: PipelineTiming = {
  claimMs: 20_000,
  claimRenewMs: 5_000,
  leaseSeconds: LEASE,
  agentAwayMs: LEASE * 1_000,
  moveAwayMs: 30_000,
  answerMs: 30_000,
  abandonedMs: 30_000,
  pollMs: 5_000,
  buildSeconds: BUILD_SECONDS_MAX,
  probeSeconds: 60,
};

export type StepResults = Partial<Record<StepName, Record<string, unknown>>>;

/** The facts that a step is made from. */
export interface StepInput {
  ctx: PipelineContext;
  claim: Claim;
  /** The app as it is now, but for what the user sets: that is as it was when the deploy began. */
  app: AppFacts;
  inputs: DeployInputs;
  /** The results of the steps before it, without secrets. */
  results: StepResults;
}
