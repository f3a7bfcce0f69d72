import { SvcError } from "@svc/shared/errors.ts";
import { isRemovalNoted, noteRemoval } from "../apps/removal/note-removal.ts";
import type { AppOnServer, AppRow } from "../apps/app.ts";
import { lockAppOf } from "../apps/find-app.ts";
import { purgeApp } from "../apps/removal/purge-app.ts";
import { softStop } from "../apps/status/app-stops.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { hasStartedDeploy } from "./lifecycle.store.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { endOpenDeploy, isDeployOpen, serversWithCopy } from "../deploys/end-open-deploy.ts";
import { isAgentAway, removeFromServer } from "../apps/removal/remove-from-server.ts";

/** How long the caller waits for the host: most removals take seconds; a dump of gigabytes goes on by itself. */
const WAIT_MS = 60_000;
/** The pause between two looks at a removal that another request, or another process, has begun. */
const LOOK_MS = 250;

/**
 * Takes the app off its server. A soft stop keeps the record, the name and the
 * database; a purge keeps nothing but a last dump on the host. What the app deploys is canceled first. While the agent
 * is away the removal is noted down, and done when it is back: the caller finds the app stopped, or gone, at once.
 * @throws SvcError deploy_in_progress when the deploy does not end, and why the agent refuses a purge: the app is
 * soft-stopped then, and its data is untouched
 */
export async function deleteApp(ctx: OperationContext, app: AppRow, { purge }: { purge: boolean }): Promise<void> {
  await endOpenDeploy(ctx, app);
  const serverId = await inTransaction(ctx.db, (tx) => recordDeletion(ctx, tx, app, purge));
  if (serverId === undefined) return;
  let isDone = false;
  try {
    isDone = await removeWithin(ctx, { appId: app.id, serverId }, WAIT_MS);
  } catch (error) {
    if (purge && !isAgentAway(error)) throw error;
    // The removal is noted down, so a process will do it.
    if (!(error instanceof SvcError)) throw error;
  }
  if (!purge) return;
  if (!isDone) return inTransaction(ctx.db, (tx) => freeName(ctx, tx, app));
  // Somebody else's purge, which this one waited for, was refused: an own one tells this caller why.
  const left = await lockAppOf(ctx, ctx.db, app.id);
  if (left?.status === "soft_stopped") await deleteApp(ctx, left, { purge });
}

/** An app that somebody has deployed again meanwhile stays. */
async function freeName(ctx: OperationContext, tx: Db, { id }: AppRow): Promise<void> {
  if (!(await lockAppOf(ctx, tx, id)) || (await isDeployOpen(tx, id))) return;
  await purgeApp(tx, id);
}

/** @returns the server that anything of it can be on */
async function recordDeletion(
  ctx: OperationContext,
  tx: Db,
  { id }: AppRow,
  purge: boolean,
): Promise<string | undefined> {
  const app = await lockAppOf(ctx, tx, id);
  if (!app) return undefined;
  if (await isDeployOpen(tx, id)) {
    throw new SvcError("deploy_in_progress", `Another deploy of ${app.name} was started meanwhile; delete it again.`);
  }
  const { name, server_id: serverId } = app;
  await audit(ctx, tx, { action: purge ? "app.purge" : "app.soft_stop", target: `app:${id}`, detail: { name } });
  await softStop(tx, id);
  // The record of what is to be taken back there goes with the app's.
  const copies = purge ? await serversWithCopy(tx, id) : [];
  for (const copy of copies) await noteRemoval(tx, { appId: id, appName: name, serverId: copy, purge });
  if (serverId !== null && (await hasStartedDeploy(tx, id))) {
    await noteRemoval(tx, { appId: id, appName: name, serverId, purge });
    return serverId;
  }
  if (purge) await purgeApp(tx, id);
  return undefined;
}

/** @returns false when the time is over: then it goes on without the caller */
async function removeWithin(ctx: OperationContext, of: AppOnServer, ms: number): Promise<boolean> {
  const over = new AbortController();
  const done = new AbortController();
  const removing = removeOrAwait(ctx, of, over.signal).finally(() => done.abort());
  // The pause ends first or is aborted; either way it is no failure.
  const pause = ctx.clock.sleep(ms, done.signal).then(
    () => false,
    () => removing.then(() => true),
  );
  const isDone = await Promise.race([removing.then(() => true), pause]);
  over.abort();
  // A removal that fails after its caller has gone is tried again (apps/removal/removals.ts).
  removing.catch(() => undefined);
  return isDone;
}

/** Does the removal, or waits until whoever has begun it is done with it. */
async function removeOrAwait(ctx: OperationContext, of: AppOnServer, signal: AbortSignal): Promise<void> {
  while (!(await removeFromServer(ctx, of, { takeBackRefused: true })) && (await isRemovalNoted(ctx.db, of))) {
    await ctx.clock.sleep(LOOK_MS, signal);
  }
}
