import type { AppRow } from "../apps/app.ts";
import { readStartedDeploys } from "./deploys.store.ts";
import type { OperationContext } from "../platform/operation.ts";
import { deployView, type DeployView } from "./deploy-view.ts";

/** The app's deploys that have started, newest first. */
export async function listDeploys(ctx: OperationContext, app: AppRow, limit: number): Promise<DeployView[]> {
  const rows = await readStartedDeploys(ctx.db, ctx.actor.teamId, app.id, limit);
  return rows.map(deployView);
}
