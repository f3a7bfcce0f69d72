import { SvcError } from "@svc/shared/errors.ts";
import { REPLICAS } from "@svc/shared/spec/resources.ts";
import { fromAgentError } from "../fleet/agent-errors.ts";
import { onceReleased } from "../fleet/once-released.ts";
import { requireAgent } from "../fleet/require-agent.ts";
import { isOneMachine } from "../fleet/server-machines.ts";
import { invalid } from "../platform/invalid.ts";
import type { OperationContext } from "../platform/operation.ts";
import type { AppRow } from "./app.ts";

/** A machine of a cluster fetches the image first; more means that no machine can run a copy. */
const LIMIT_MS = 150_000;

/** @throws SvcError invalid_request */
export function checkReplicas(replicas: number): void {
  if (Number.isInteger(replicas) && replicas >= REPLICAS.min && replicas <= REPLICAS.max) return;
  throw invalid(`replicas is ${replicas}; allowed is a whole number from ${REPLICAS.min} to ${REPLICAS.max}.`);
}

/**
 * Has so many copies of a live app run. One that is not live has them from its next deploy on.
 * @throws SvcError replicas_unsupported, deploy_in_progress, agent_away, agent_too_old, engine_unavailable, server_memory_full
 */
export async function scaleApp(ctx: OperationContext, app: AppRow, replicas: number): Promise<void> {
  const { server_id: serverId, name, id } = app;
  if (serverId === null) return;
  if (await isOneMachine(ctx.db, serverId)) {
    if (replicas > 1) throw unsupported(app, replicas);
    return;
  }
  if (app.current_release_id === null) return;
  const agent = await requireAgent(ctx, serverId);
  const refusal = { code: "lock_held", isDeployRunning: () => Promise.resolve(false) } as const;
  const call = () => agent.scaleApp({ app: { id, name }, copies: replicas }, { timeoutMs: LIMIT_MS });
  await onceReleased(ctx.clock, refusal, call).catch((error: unknown) => {
    throw explained(fromAgentError(error), app, replicas);
  });
}

function explained(error: SvcError, app: AppRow, replicas: number): SvcError {
  if (error.code === "invalid_request") return unsupported(app, replicas);
  if (error.code !== "lock_held") return error;
  const message = `A deploy runs on the server of ${app.name}: scale it when that has ended.`;
  return new SvcError("deploy_in_progress", message, { cause: error });
}

function unsupported({ name }: AppRow, replicas: number): SvcError {
  return new SvcError(
    "replicas_unsupported",
    `The app ${name} can't have ${replicas} replicas: its server is one machine, which runs 1. More need a server that is a cluster.`,
  );
}
