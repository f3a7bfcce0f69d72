import { SvcError } from "@svc/shared/errors.ts";
import { until } from "@svc/shared/platform/until.ts";
import { isTerminal } from "./deploy.ts";
import type { AppRow } from "../apps/app.ts";
import { hasOpenDeploy, readDeployStatus, readOpenDeployId } from "./deploys.store.ts";
import { readCopies } from "./moves/moves.store.ts";
import { cancelDeploy } from "./cancel-deploy.ts";
import type { OperationContext } from "../platform/operation.ts";

/** A worker waits 40 s for an agent that is away, and takes back what it did within 10 s more. */
const END_MS_MAX = 60_000;
/** Looks that cost one row each, while somebody waits for the answer. */
const LOOK_MS = 200;

/**
 * Cancels what the app deploys, or waits to deploy, and resolves when that has ended.
 * @throws SvcError deploy_in_progress when it does not end in time
 */
export async function endOpenDeploy(ctx: OperationContext, app: AppRow): Promise<void> {
  const id = await readOpenDeployId(ctx.db, app.id);
  if (id === undefined) return;
  try {
    if ((await cancelDeploy(ctx, { id, app_id: app.id })) === "canceled") return;
  } catch (error) {
    // It has ended by itself since we looked, or will within seconds, as a move does that has switched.
    if (!(error instanceof SvcError && error.code === "deploy_finished")) throw error;
  }
  const hasEnded = async (): Promise<true | undefined> => {
    const status = await readDeployStatus(ctx.db, id);
    return status === undefined || isTerminal(status) || undefined;
  };
  if (await until(hasEnded, { pauseMs: LOOK_MS, msMax: END_MS_MAX, clock: ctx.clock })) return;
  throw new SvcError(
    "deploy_in_progress",
    `What ${app.name} deploys, or its move, is being canceled and has not ended within ${END_MS_MAX / 1000} s: try again shortly.`,
  );
}

/** Servers other than the app's own that may have a copy of it, which a move has left. */
export const serversWithCopy = readCopies;

/** Whether a deploy of the app waits or runs; none starts while the caller holds the app's row. */
export const isDeployOpen = hasOpenDeploy;
