import type { AppRow } from "../../apps/app.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { readSuitedServers, readWaitingDeployRow, type WaitingDeployRow } from "./waiting-deploy.store.ts";
import { waitSentence, waitsFor, waitsForServer, type WaitReason } from "./waits-for.ts";

export interface WaitingDeploy {
  deploy_id: string;
  release: string;
  status: "pending" | "running";
  /** ISO 8601, in UTC. */
  since: string;
  waits_for: WaitReason;
  /** The app whose deploy is ahead, as far as the caller may know it. */
  ahead: string | null;
  detail: string;
}

/** Reads the app's deploy that is still to begin, or can't go on, and why; null when none waits. */
export async function readWaitingDeploy(ctx: OperationContext, app: AppRow): Promise<WaitingDeploy | null> {
  const { teamId, apps } = ctx.actor;
  const row = await readWaitingDeployRow(ctx.db, { ownerId: teamId, appId: app.id, visibleApps: apps });
  if (row === undefined) return null;
  const { id, release, status, since, server, pool, label } = row;
  const reason = await reasonOf(ctx, app, row);
  const ahead = reason === "deploy_ahead" ? row.ahead : null;
  const detail = waitSentence({ reason, server, ahead, pool, label });
  return { deploy_id: id, release, status, since: since.toISOString(), waits_for: reason, ahead, detail };
}

async function reasonOf({ db }: OperationContext, app: AppRow, row: WaitingDeployRow): Promise<WaitReason> {
  return row.server === null ? waitsForServer(await readSuitedServers(db, app.id)) : waitsFor(row);
}
