import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { checkRef } from "../repositories/ref.ts";
import { checkReleaseName, defaultReleaseName } from "./releases/release.ts";
import { forgetRemoval } from "../apps/removal/note-removal.ts";
import type { AppRow } from "../apps/app.ts";
import { startAppDeploy } from "../apps/status/app-deploys.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { hasOpenDeploy, insertDeploy } from "./deploys.store.ts";
import { notify } from "../platform/database/notify.ts";
import { placeApp } from "./placement/place-app.ts";
import { isBusy } from "./placement/placement.store.ts";
import { holdServer } from "../fleet/hold-server.ts";
import { firstFreeReleaseNumber, hasRelease } from "./releases/release-names.store.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { takeDeployInputs } from "./inputs/deploy-inputs.ts";
import { lockOwnApp } from "../apps/find-app.ts";

export interface DeployRequest {
  /** Branch, tag or SHA; the default branch when absent. */
  ref?: string | undefined;
  /** Names the deploy; when absent the next `v<N>` that no deploy of the app has. */
  release?: string | undefined;
}

export type StartedDeploy = { status: "running"; deployId: string } | { status: "queued" };

/**
 * Writes a deploy of the app and wakes a dispatcher. It runs at once when
 * its server is free; otherwise it waits its turn.
 * @throws SvcError invalid_request, not_found, no_repository, deploy_in_progress, release_in_use
 */
export async function startDeploy(ctx: OperationContext, app: AppRow, request: DeployRequest): Promise<StartedDeploy> {
  if (request.ref !== undefined) checkRef(request.ref);
  if (request.release !== undefined) checkReleaseName(request.release);

  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockOwnApp(ctx, tx, app);
    await requireDeployable(tx, locked);
    await requireNotRemoving(tx, locked);
    // Before anything refers to the server's row: a reference is a lock too, and two of them would wait for each other.
    const { serverId, runsNow } = await lockPlace(ctx, tx, locked);
    const count = await startAppDeploy(tx, app.id, serverId);
    if (request.release !== undefined) await requireFreeRelease(tx, app, request.release);
    const release = request.release ?? defaultReleaseName(await firstFreeReleaseNumber(tx, app.id, count));

    const id = newId(ctx.clock.now());
    await insertDeploy(tx, {
      id,
      appId: app.id,
      userId: ctx.actor.userId,
      serverId,
      status: runsNow ? "running" : "pending",
      ref: request.ref ?? null,
      release,
      formerAppStatus: locked.status,
    });
    if (runsNow) await takeDeployInputs({ ...ctx, db: tx }, { appId: app.id, deployId: id });
    await audit(ctx, tx, {
      action: "deploy.start",
      target: `deploy:${id}`,
      detail: { app: app.name, ref: request.ref ?? null, release },
    });
    // Heard when this transaction has committed.
    await notify(tx, "deploy_queue", serverId ?? "");
    return runsNow ? { status: "running", deployId: id } : { status: "queued" };
  });
}

async function requireDeployable(tx: Db, app: AppRow): Promise<void> {
  if (app.repo_url === null) {
    throw new SvcError(
      "no_repository",
      `The app ${app.name} has no repository to deploy from: set its repo_url first.`,
    );
  }
  if (await hasOpenDeploy(tx, app.id)) {
    throw new SvcError(
      "deploy_in_progress",
      `A deploy or a move of ${app.name} is running or queued: wait until it has ended, then start the next one.`,
    );
  }
}

/** Reviving an app ends a removal that has not begun; one that runs would take away what the deploy makes. */
async function requireNotRemoving(tx: Db, app: AppRow): Promise<void> {
  if (await forgetRemoval(tx, app)) return;
  throw new SvcError(
    "deploy_in_progress",
    `The app ${app.name} is being removed from its server: deploy it again in a few seconds.`,
  );
}

async function requireFreeRelease(tx: Db, app: AppRow, release: string): Promise<void> {
  if (await hasRelease(tx, app.id, release)) {
    throw new SvcError(
      "release_in_use",
      `The app ${app.name} has a release ${release} already: name this deploy with another \`release\`.`,
    );
  }
}

interface Place {
  /** Null while no server takes the app: the deploy waits for one. */
  serverId: string | null;
  /** Whether a deploy can begin there now, nothing being before it. */
  runsNow: boolean;
}

/**
 * Locks the server that the app lives on, or chooses one. A server that was removed since, or, for an app that is new to it,
 * drained, is none: the deploy waits for another.
 */
async function lockPlace(ctx: OperationContext, tx: Db, app: AppRow): Promise<Place> {
  const parts = { links: ctx.links, policy: ctx.platform.pipeline };
  const serverId = app.server_id ?? (await placeApp(parts, tx, app.id))?.id ?? null;
  if (serverId === null) return { serverId, runsNow: false };
  const { state, linked } = await holdServer(tx, serverId);
  // A server that is being drained takes no new apps; those that live there are deployed as before.
  const isGone = app.server_id === null ? state !== "active" : state === "removed";
  if (isGone) return { serverId: null, runsNow: false };
  // A statement of its own: it sees what the former holder of the server's row has committed.
  const runsNow = (linked || isLinkedHere(ctx, serverId)) && !(await isBusy(tx, serverId));
  return { serverId, runsNow };
}

function isLinkedHere(ctx: OperationContext, serverId: string): boolean {
  return ctx.links.agent(serverId) !== undefined;
}
