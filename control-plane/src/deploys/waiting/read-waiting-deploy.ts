import type { AppRow } from "../../apps/app.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { readWaitingDeployRow } from "./waiting-deploy.store.ts";
import { waitsFor } from "./waits-for.ts";

/** Reads the app's deploy that is still to begin, or can't go on, and why; null when none waits. */
export async function readWaitingDeploy(ctx: OperationContext, app: AppRow) {
  const row = await readWaitingDeployRow(ctx.db, ctx.actor.teamId, app.id);
  if (row === undefined) return null;
  const { id, release, status, since } = row;
  return { deploy_id: id, release, status, since: since.toISOString(), waits_for: waitsFor(row) };
}
