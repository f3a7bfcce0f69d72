import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { readMemberships } from "../accounts/teams/read-memberships.ts";
import { lockTierOf } from "../accounts/lock-tier.ts";
import { tierOf } from "../accounts/tier.ts";
import type { AppRow } from "../apps/app.ts";
import { giveApp } from "../apps/give-app.ts";
import { lockOwnApp } from "../apps/find-app.ts";
import { isDeployOpen } from "../deploys/end-open-deploy.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { notify } from "../platform/database/notify.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { permitsRole } from "../platform/role.ts";
import { moveHosted } from "../repositories/move-hosted.ts";

/**
 * Gives the app to another team that the caller may make apps in. It goes on serving; its repository on the platform's git host
 * goes with it, to another address.
 * @throws SvcError invalid_request, not_found, insufficient_role, app_limit, name_taken, deploy_in_progress
 */
export async function handOverApp(ctx: OperationContext, app: AppRow, teamId: string): Promise<void> {
  if (!isId(teamId)) throw noSuchTeam();
  await inTransaction(ctx.db, async (tx) => {
    const tier = await lockTierOf(tx, teamId);
    // While the team is locked, nobody's role in it changes.
    await requireMaker(ctx, tx, teamId);
    const locked = await lockOwnApp(ctx, tx, app);
    if (await isDeployOpen(tx, app.id)) {
      throw new SvcError(
        "deploy_in_progress",
        `A deploy or a move of ${app.name} is running or queued: wait until it has ended.`,
      );
    }
    const moved = await moveHosted(ctx, tx, { app: locked, to: teamId });
    await giveApp(tx, app.id, { teamId, repoUrl: moved, tier, limit: tierOf(ctx.platform.tiers, tier).apps });
    const entry = { target: `app:${app.id}`, detail: { name: app.name, from: locked.owner_id, to: teamId } };
    await audit(ctx, tx, { ...entry, action: "app.hand_over" });
    await audit({ ...ctx, actor: { ...ctx.actor, teamId } }, tx, { ...entry, action: "app.receive" });
    await notify(tx, "routes", app.id);
    // Whoever follows the app's log as one of the former team is looked at again.
    await notify(tx, "credentials", "");
  });
}

/** The person's role there counts: a key acts in the team that it is of. */
async function requireMaker({ actor }: OperationContext, tx: Db, teamId: string): Promise<void> {
  const role = (await readMemberships(tx, actor.userId)).find((each) => each.teamId === teamId)?.role;
  if (role === undefined) throw noSuchTeam();
  if (permitsRole(role, "developer")) return;
  throw new SvcError(
    "insufficient_role",
    `You are ${role} in that team: whoever gives it an app is at least developer.`,
  );
}

function noSuchTeam(): SvcError {
  return new SvcError("not_found", "You are in no team with that id.");
}
