import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { actForTeam } from "../../accounts/teams/act-for-team.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { forgetPush } from "../../apps/status/app-deploys.ts";
import { lockNewestDeploy, lockPushedApp, type NewestDeploy } from "./pushed-apps.store.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { startDeploy } from "../start-deploy.ts";

/**
 * Starts the deploy that a push has asked for. While a deploy of the app runs, it waits: of several pushes the newest is
 * deployed, and none twice.
 * @returns whether nothing is left to do
 */
export async function deployPushed(
  parts: Omit<OperationContext, "actor" | "requestId">,
  appId: string,
): Promise<boolean> {
  return inTransaction(parts.db, async (tx) => {
    const app = await lockPushedApp(tx, appId);
    if (!app) return true;
    const newest = await lockNewestDeploy(tx, appId);
    if (newest?.status === "running") return false;
    await forgetPush(tx, appId);
    if (app.status === "soft_stopped" || (newest && brings(newest, app.pushed_sha))) return true;
    // Whoever pushes may deploy: notePush has looked.
    const actor = await actForTeam(tx, app.owner_id, app.pushed_by_key ?? undefined);
    // That commit, not what the branch has since: who pushed the rest may not be allowed to deploy.
    await startDeploy({ ...parts, db: tx, actor, requestId: newId() }, app, { ref: app.pushed_sha });
    return true;
  }).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === "deploy_in_progress") return false;
    throw error;
  });
}

/** A queued deploy of the default branch takes what is newest when it starts; an ended one may have built this commit, or tried to. */
function brings({ status, ref, commit_sha }: NewestDeploy, sha: string): boolean {
  return status === "pending" ? ref === null || ref === sha : commit_sha === sha;
}
