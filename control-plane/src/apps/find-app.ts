import { SvcError } from "@svc/shared/errors.ts";
import { isAppName } from "@svc/shared/rules/app-name.ts";
import { quoted } from "../platform/invalid.ts";
import { permitsApp } from "../platform/scope.ts";
import { requireAppPermission } from "../accounts/require-app-permission.ts";
import type { AppRow } from "./app.ts";
import { lockApp, readApp, readAppOfAnybody } from "./apps.store.ts";
import type { Db } from "../platform/database/database.ts";
import type { Subject } from "../platform/http/route.ts";
import type { OperationContext } from "../platform/operation.ts";

/**
 * The caller's app of that name.
 * @throws SvcError not_found, also for another owner's; insufficient_scope when the key is limited to other apps
 */
async function findApp(ctx: OperationContext, name: string): Promise<AppRow> {
  const app = isAppName(name) ? await readApp(ctx.db, [ctx.actor.teamId], name) : undefined;
  if (!app) throw noSuchApp(name);
  requireAppPermission(ctx, app.name);
  return app;
}

/** The app that a path names as {name}. */
export const namedApp: Subject<AppRow> = {
  find: (ctx, { name = "" }) => findApp(ctx, name),
  async requirePermission(ctx, { name = "" }) {
    if (!permitsApp(ctx.actor, name)) await findApp(ctx, name);
  },
  async findInTeams({ db, actor }, { name = "" }) {
    const teamIds = actor.teams.map(({ teamId }) => teamId);
    const row = isAppName(name) ? await readApp(db, teamIds, name) : undefined;
    return row && { teamId: row.owner_id, row };
  },
};

/**
 * The caller's app, which nobody else changes until the transaction ends.
 * @throws SvcError not_found when it was deleted meanwhile
 */
export async function lockOwnApp(ctx: OperationContext, tx: Db, app: AppRow): Promise<AppRow> {
  const locked = await lockAppOf(ctx, tx, app.id);
  if (!locked) throw noSuchApp(app.name);
  return locked;
}

/** The same; undefined when there is none of the caller's with that id. */
export async function lockAppOf({ actor }: OperationContext, tx: Db, id: string): Promise<AppRow | undefined> {
  return lockApp(tx, actor.teamId, id);
}

/** The same of an app whose owner is known. @throws SvcError not_found when it was deleted, or given away, meanwhile */
export async function lockAppOfOwner(tx: Db, app: Pick<AppRow, "id" | "owner_id" | "name">): Promise<AppRow> {
  const locked = await lockApp(tx, app.owner_id, app.id);
  if (!locked) throw noSuchApp(app.name);
  return locked;
}

/** The app of that name, whichever team's: for operators alone. */
export async function findAppOfAnybody(db: Db, name: string): Promise<AppRow | undefined> {
  return isAppName(name) ? readAppOfAnybody(db, name) : undefined;
}

/** The same for a name that nobody has, and for another owner's. */
export function noSuchApp(name: string): SvcError {
  return new SvcError("not_found", `You have no app named ${quoted(name)}.`);
}
