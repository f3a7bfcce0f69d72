import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { readDeploy, type DeployRow } from "./deploys.store.ts";
import type { Subject } from "../platform/http/route.ts";
import type { OperationContext } from "../platform/operation.ts";
import { requireAppPermission } from "../accounts/require-app-permission.ts";

/**
 * The deploy, provided that its app is the caller's.
 * @throws SvcError not_found, also for another owner's; insufficient_scope when the key is limited to other apps
 */
async function findDeploy(ctx: OperationContext, id: string): Promise<DeployRow> {
  const deploy = isId(id) ? await readDeploy(ctx.db, [ctx.actor.teamId], id) : undefined;
  if (!deploy) throw noSuchDeploy();
  requireAppPermission(ctx, deploy.app_name);
  return deploy;
}

/** The deploy that a path names as {id}. */
export const namedDeploy: Subject<DeployRow> = {
  find: (ctx, { id = "" }) => findDeploy(ctx, id),
  async requirePermission(ctx, { id = "" }) {
    if (ctx.actor.apps !== null) await findDeploy(ctx, id);
  },
  async findInTeams({ db, actor }, { id = "" }) {
    const teamIds = actor.teams.map(({ teamId }) => teamId);
    const row = isId(id) ? await readDeploy(db, teamIds, id) : undefined;
    return row && { teamId: row.owner_id, row };
  },
};

/** The same for an id that no deploy has, and for another owner's. */
export function noSuchDeploy(): SvcError {
  return new SvcError("not_found", "You have no deploy with that id.");
}
