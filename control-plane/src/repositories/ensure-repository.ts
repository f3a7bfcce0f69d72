import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { checkAppName } from "../fleet/app-name.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { countUnclaimedRepositories, insertRepository, readRepository, renewRepository } from "./repositories.store.ts";
import { lockTier } from "../accounts/lock-tier.ts";
import { repositoryUrl } from "./hosting/hosting.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { requireAppPermission } from "../accounts/require-app-permission.ts";

/**
 * The tier limits apps, and so the repositories that belong to one. A name that turns out to be taken leaves one behind,
 * for a day; more than these are no mistakes any more.
 */
const UNCLAIMED_MAX = 10;

/**
 * The caller's repository of that name on the platform's own git host, made when there is none.
 * @throws SvcError invalid_request, insufficient_scope, app_limit
 */
export async function ensureRepository(ctx: OperationContext, name: string) {
  requireAppPermission(ctx, name);
  checkAppName(name, ctx.platform);
  const { teamId: ownerId } = ctx.actor;
  const repoUrl = repositoryUrl(ctx.hosting, { ownerId, name });
  return inTransaction(ctx.db, async (tx) => {
    // Two requests at once make one repository, and none beyond the limit.
    await lockTier(ctx, tx);
    const existing = await readRepository(tx, ownerId, name);
    if (existing) {
      await renewRepository(tx, existing.id);
      return { created: false, repoUrl };
    }
    if ((await countUnclaimedRepositories(tx, ownerId)) >= UNCLAIMED_MAX) {
      throw new SvcError(
        "app_limit",
        `You have ${UNCLAIMED_MAX} repositories that belong to no app. Deploy an app from one of them, or try again ` +
          "tomorrow: those that no app deploys from are removed after a day.",
      );
    }
    await makeRepository(ctx, tx, name);
    return { created: true, repoUrl };
  });
}

/** The folder is there before the row is committed; without a row a sweep removes it. */
async function makeRepository(ctx: OperationContext, tx: Db, name: string): Promise<void> {
  const id = newId(ctx.clock.now());
  const { folders } = ctx.hosting;
  try {
    await folders.createEmpty(id);
    await insertRepository(tx, { id, ownerId: ctx.actor.teamId, name, appId: null, headSha: null });
    await audit(ctx, tx, { action: "repository.create", target: `repository:${id}`, detail: { name } });
  } catch (cause) {
    await folders.remove(id).catch(() => undefined);
    throw new SvcError(
      "internal",
      `The repository ${name} could not be made. Try again; if it fails again, whoever runs this service finds the ` +
        "reason in its log (is the disk full?).",
      { cause },
    );
  }
}
