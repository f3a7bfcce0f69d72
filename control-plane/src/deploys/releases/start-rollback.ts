import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { quoted } from "../../platform/invalid.ts";
import { checkReleaseName, imageGone, rollbackReleaseName } from "./release.ts";
import { forgetRemoval } from "../../apps/removal/note-removal.ts";
import type { AppRow } from "../../apps/app.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { hasOpenDeploy, insertDeploy } from "../deploys.store.ts";
import { notify } from "../../platform/database/notify.ts";
import { holdServer } from "../../fleet/hold-server.ts";
import { readCurrentRelease, readPreviousRelease, readSuccessfulRelease } from "./releases.store.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { lockOwnApp } from "../../apps/find-app.ts";

export interface RollbackRequest {
  /** The name of a release; the one before the current one when absent. */
  release?: string | undefined;
}

/**
 * Writes a rollback, which runs at once through the pipeline as a deploy of its own kind, beside what other apps of the
 * server deploy, and is shown in no list.
 * @returns its id; undefined when the release that was named is live already
 * @throws SvcError invalid_request, not_found, deploy_in_progress, no_previous_deploy, release_image_gone, agent_away
 */
export async function startRollback(
  ctx: OperationContext,
  app: AppRow,
  { release }: RollbackRequest,
): Promise<string | undefined> {
  if (release !== undefined) checkReleaseName(release);

  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockOwnApp(ctx, tx, app);
    const named = release === undefined ? undefined : await requireRelease(tx, app, release);
    if (await hasOpenDeploy(tx, app.id)) throw inProgress(`A deploy or a move of ${app.name} is running or queued`);
    const current = await readCurrentRelease(tx, app.id);
    if (named !== undefined && named === current && locked.status === "running") return undefined;
    const target = named ?? (await readPreviousRelease(tx, app.id, current));
    if (target === undefined || locked.server_id === null) throw noPrevious(app);
    if (!(await forgetRemoval(tx, locked))) throw inProgress(`The app ${app.name} is being removed from its server`);
    await requireLinkedServer(ctx, tx, locked.server_id);

    const id = newId(ctx.clock.now());
    await insertDeploy(tx, {
      id,
      appId: app.id,
      userId: ctx.actor.userId,
      serverId: locked.server_id,
      status: "running",
      ref: null,
      release: rollbackReleaseName(id),
      targetReleaseId: target,
      formerAppStatus: locked.status,
    });
    await audit(ctx, tx, {
      action: "rollback.start",
      target: `deploy:${id}`,
      detail: { app: app.name, release: release ?? null, release_id: target },
    });
    await notify(tx, "deploy_queue", locked.server_id);
    return id;
  });
}

async function requireRelease(tx: Db, app: AppRow, name: string): Promise<string> {
  const release = await readSuccessfulRelease(tx, app.id, name);
  if (release?.isImageKept) return release.id;
  if (release) throw imageGone();
  throw new SvcError("not_found", `The app ${app.name} has no successful release named ${quoted(name)}.`);
}

/** The caller waits for a rollback, so it never stands in a queue. */
async function requireLinkedServer(ctx: OperationContext, tx: Db, serverId: string): Promise<void> {
  const server = await holdServer(tx, serverId);
  if (server.linked || ctx.links.agent(serverId) !== undefined) return;
  throw new SvcError(
    "agent_away",
    "The agent of this app's server is not connected; what is live keeps serving. Roll back when it is back.",
  );
}

function inProgress(what: string): SvcError {
  return new SvcError("deploy_in_progress", `${what}: wait until that has ended, then roll back.`);
}

function noPrevious(app: AppRow): SvcError {
  return new SvcError("no_previous_deploy", `The app ${app.name} has no earlier successful deploy to go back to.`);
}
