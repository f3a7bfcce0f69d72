import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../apps/app.ts";
import { lockAppOf } from "../apps/find-app.ts";
import { noteAppStatus } from "../deploys/note-app-status.ts";
import { inTransaction } from "../platform/database/database.ts";
import { isDeployInTheWay } from "./lifecycle.store.ts";
import { fromAgentError } from "../fleet/agent-errors.ts";
import type { AgentClient } from "../ports.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { onceReleased } from "../fleet/once-released.ts";
import { requireAgent } from "../fleet/require-agent.ts";

export const APP_ACTIONS = ["start", "stop", "restart"] as const;
export type AppAction = (typeof APP_ACTIONS)[number];

/**
 * Draining, stopping, waiting for the database and for the port take the agent 10, 10, 30 and 60 s at most, and a stop that
 * was asked for before 20; more means that it hangs.
 */
const LIMIT_MS = 150_000;

const CALLS: Readonly<Record<AppAction, (agent: AgentClient, app: { id: string; name: string }) => Promise<unknown>>> =
  {
    start: (agent, app) => agent.startApp({ app }, { timeoutMs: LIMIT_MS }),
    stop: (agent, app) => agent.stopApp({ app }, { timeoutMs: LIMIT_MS }),
    restart: (agent, app) => agent.restartApp({ app }, { timeoutMs: LIMIT_MS }),
  };

/**
 * Starts, stops or restarts the app's container. The container and its
 * volumes are kept.
 * @throws SvcError never_deployed, deploy_in_progress, agent_away, database_not_ready, app_not_listening, server_memory_full
 */
export async function actOnApp(ctx: OperationContext, app: AppRow, action: AppAction): Promise<void> {
  if (app.server_id === null || app.current_release_id === null) throw neverDeployed(app, action);
  const { server_id: serverId } = app;
  const isDeployRunning = (): Promise<boolean> => isDeployInTheWay(ctx.db, serverId, app.id);
  if (await isDeployRunning()) throw deployInProgress(action, app);
  const agent = await requireAgent(ctx, serverId);
  try {
    const refusal = { code: "lock_held", isDeployRunning } as const;
    await onceReleased(ctx.clock, refusal, () => CALLS[action](agent, { id: app.id, name: app.name }));
  } catch (error) {
    throw explained(fromAgentError(error), app, action);
  }
  await inTransaction(ctx.db, async (tx) => {
    const locked = await lockAppOf(ctx, tx, app.id);
    if (!locked) return;
    // Another release that has become live meanwhile runs, whatever was done to the one before.
    const isLive = locked.current_release_id === app.current_release_id;
    if (isLive) await noteAppStatus(tx, locked, action === "stop" ? "stopped" : "running");
    await audit(ctx, tx, { action: `app.${action}`, target: `app:${app.id}`, detail: { name: app.name } });
  });
}

function explained(error: SvcError, app: AppRow, action: AppAction): SvcError {
  // A deploy took the server's lock since we looked.
  if (error.code === "lock_held") return deployInProgress(action, app, error);
  // The container is gone from the host; `not_found` would say that the app is.
  if (error.code === "not_found") return new SvcError("never_deployed", error.message, { cause: error });
  return error;
}

function deployInProgress(action: AppAction, { name }: AppRow, cause?: unknown): SvcError {
  const message = `A deploy runs on the server of ${name}, or ${name} moves: ${action} it when that has ended.`;
  return new SvcError("deploy_in_progress", message, { cause });
}

function neverDeployed({ name, status }: AppRow, action: AppAction): SvcError {
  const advice =
    status === "soft_stopped"
      ? `The app ${name} is soft-stopped: deploy it to revive it.`
      : `The app ${name} has no release yet: deploy it, then ${action} it.`;
  return new SvcError("never_deployed", advice);
}
