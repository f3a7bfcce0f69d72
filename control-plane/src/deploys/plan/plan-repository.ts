import { SvcError, type ErrorCode } from "@svc/shared/errors.ts";
import type { PlanSourceResponse } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { usablePools } from "@svc/shared/rules/servers/server-pool.ts";
import { readTier } from "../../accounts/read-tier.ts";
import { readGivenPools } from "../../accounts/teams/read-pools.ts";
import { fromAgentError } from "../../fleet/agent-errors.ts";
import type { AgentClient } from "../../ports.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { checkRef } from "../../repositories/ref.ts";
import { checkRepository } from "../../repositories/check-repository.ts";
import { checkRoot } from "../../repositories/root.ts";
import { capsMax, cloneSource, outboundPolicy } from "../inputs/clone-source.ts";
import { rankServers } from "../placement/placement.ts";
import { readCandidates } from "../placement/read-candidates.ts";

/** The person waits for the answer: what takes longer is for a deploy. Seconds. */
const FETCH_SECONDS = 60;
/** The time that the agent has to say so. Seconds. */
const ANSWER_SECONDS = 10;
export const RETRY_AFTER_SECONDS = 5;

export interface RepositoryToPlan {
  repo_url: string;
  ref?: string | undefined;
  root?: string | undefined;
}

/**
 * Says what a deploy of a repository would make. Nothing is made and nothing stays.
 * @throws SvcError invalid_request, agent_away, agent_too_old, rate_limited, and the reason why the repository can't be read or built
 */
export async function planRepository(ctx: OperationContext, { repo_url, ref, root }: RepositoryToPlan) {
  checkRepository(ctx, repo_url);
  if (ref !== undefined) checkRef(ref);
  const folder = root === undefined ? "" : (checkRoot(root) ?? "");
  const parts = { hosting: ctx.hosting, db: ctx.db, policy: ctx.platform.pipeline };
  const { teamId } = ctx.actor;
  const source = {
    ...(await cloneSource(parts, teamId, { repoUrl: repo_url, deployKey: undefined })),
    ref: ref ?? "",
    root: folder,
    ...capsMax(parts, (await readTier(ctx)).name),
    outbound: outboundPolicy(parts),
    timeLimitSeconds: FETCH_SECONDS,
  };
  const inTime = AbortSignal.timeout((FETCH_SECONDS + ANSWER_SECONDS) * 1000);
  const gone = ctx.gone?.();
  const signal = gone === undefined ? inTime : AbortSignal.any([inTime, gone]);
  const planId = newId(ctx.clock.now());
  return planJson(await askServers(ctx, (agent) => agent.planSource({ planId, source }, { signal })));
}

/** Reasons of a server, and not of the repository: another one may give the plan. */
const ASKED_ELSEWHERE: ReadonlySet<ErrorCode> = new Set(["agent_away", "agent_too_old", "disk_full", "rate_limited"]);
/** A person who waits for a plan waits for no more servers than these. */
const SERVERS_MAX = 3;

/**
 * Asks a server that takes new apps, and others when that one can't.
 * @throws SvcError agent_away when none is connected, else the last one's reason
 */
async function askServers<T>(ctx: OperationContext, ask: (agent: AgentClient) => Promise<T>): Promise<T> {
  const { db, links } = ctx;
  const pools = usablePools(await readGivenPools(db, ctx.actor.teamId));
  const all = await readCandidates({ links, policy: ctx.platform.pipeline }, db);
  const servers = rankServers(all, { pools, label: null, memoryBytes: 0 });
  const linked = servers.flatMap(({ id }) => links.agent(id) ?? []);
  let refusal: SvcError | undefined;
  for (const agent of linked.slice(0, SERVERS_MAX)) {
    try {
      return await ask(agent);
    } catch (error) {
      refusal = fromAgentError(error);
      if (!ASKED_ELSEWHERE.has(refusal.code)) throw refusal;
    }
  }
  throw refusal === undefined ? noServer(servers.length) : withRetry(refusal);
}

function noServer(active: number): SvcError {
  const sentence =
    active === 0
      ? "No server takes new apps at this moment, so no repository can be read."
      : "No server that takes new apps is connected, so the repository can't be read now. Servers reconnect by themselves: try again shortly.";
  return new SvcError("agent_away", sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function withRetry(refusal: SvcError): SvcError {
  if (refusal.code !== "rate_limited") return refusal;
  const { code, message } = refusal;
  return new SvcError(code, message, { cause: refusal, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function planJson({ commitSha, dockerfile, specFile, name, services, start, ...plan }: PlanSourceResponse) {
  const { framework, reason, port, notes, root, env } = plan;
  return {
    commit_sha: commitSha,
    name: name === "" ? null : name,
    framework,
    reason,
    port,
    start: start ?? null,
    dockerfile: dockerfile.case === "dockerfilePath" ? { path: dockerfile.value } : { text: dockerfile.value ?? "" },
    notes,
    root,
    spec_file: specFile === "" ? null : specFile,
    services: services.map((service) => ({ name: service.name, version: service.version })),
    env,
  };
}
