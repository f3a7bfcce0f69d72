import type { Kysely } from "kysely";
import type { Clock } from "@svc/shared/clock.ts";
import type { Logger } from "@svc/shared/logger.ts";
import type { Redactors } from "@svc/shared/redactors.ts";
import type { AppsAddress } from "../domain/app-url.ts";
import type { DeployKeyHost } from "../domain/deploy-key-host.ts";
import type { Database } from "../db/schema.ts";
import type { Hosting } from "../hosting/hosting.ts";
import type { AgentLinks, KeyRing, Notifications } from "../ports.ts";

/** The decisions of the platform's operator; they travel to the agents with the work (operating contract). */
export interface PipelinePolicy extends AppsAddress {
  outboundAllowCidrs: readonly string[];
  /** PEM; empty for none. */
  outboundCaPem: string;
  /** That deploy keys work with. */
  deployKeyHosts: readonly DeployKeyHost[];
  /** Caps of an app's container by the tier of its owner. */
  limitsOf(tier: string): { memoryBytes: number; cpuMillis: number };
}

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

export interface PipelineTiming {
  /** How long a claim stands without renewal. */
  claimMs: number;
  claimRenewMs: number;
  /** Lease of the agent's lock. */
  leaseSeconds: number;
  /** How long a running deploy waits for an agent that went away. */
  agentAwayMs: number;
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
 * No deploy stays `running` without a worker for more than 60 s (decisions, States): a dead worker's claim ends after
 * at most 20 s, whoever has the agent's link takes it then, and after 30 s more a process without that link fails it.
 * An agent that restarts is back within seconds, a rebooted host is not: 40 s tells the two apart.
 */
export const pipelineTiming: PipelineTiming = {
  claimMs: 20_000,
  claimRenewMs: 5_000,
  leaseSeconds: 60,
  agentAwayMs: 40_000,
  answerMs: 30_000,
  abandonedMs: 30_000,
  pollMs: 2_000,
  buildSeconds: 1_200,
  probeSeconds: 60,
};
