import type { AppRow } from "../../apps/app.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { readWaitingDeployRow } from "./waiting-deploy.store.ts";
import { waitsFor, type WaitReason } from "./waits-for.ts";

export interface WaitingDeploy {
  deploy_id: string;
  release: string;
  status: "pending" | "running";
  /** ISO 8601, in UTC. */
  since: string;
  waits_for: WaitReason;
}

/** Reads the app's deploy that is still to begin, or can't go on, and why; null when none waits. */
export async function readWaitingDeploy(ctx: OperationContext, app: AppRow): Promise<WaitingDeploy | null> {
  const row = await readWaitingDeployRow(ctx.db, ctx.actor.teamId, app.id);
  if (row === undefined) return null;
  const { id, release, status, since } = row;
  return { deploy_id: id, release, status, since: since.toISOString(), waits_for: waitsFor(row) };
}
