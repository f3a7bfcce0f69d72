import { inTransaction } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { actForTeam } from "../../accounts/teams/act-for-team.ts";
import type { PushedRepository } from "../../repositories/hosted-repository.ts";
import { noteHead } from "../../repositories/note-head.ts";
import { markPushed, readRepositoriesDeployedOnPush } from "./pushes.store.ts";
import { permitsScope } from "../../platform/scope.ts";
import { repositoryUrl } from "../../repositories/hosting/hosting.ts";
import type { OperationContext } from "../../platform/operation.ts";

/**
 * Notes that the repository's default branch has changed, once for each change, and asks for a deploy of the caller's
 * apps that want one (`deploy_on_push`), where the caller may deploy them. Pushes of other branches and tags
 * change nothing here.
 */
export async function notePush(ctx: OperationContext, repository: PushedRepository): Promise<void> {
  const sha = await ctx.hosting.folders.headAfterPush(repository.id);
  if (sha === undefined) return;
  const { teamId, keyId, apps: only } = ctx.actor;
  await inTransaction(ctx.db, async (tx) => {
    if (!(await noteHead(ctx, tx, repository, sha)) || !permitsScope(ctx.actor, "deploys:write")) return;
    const repoUrl = repositoryUrl(ctx.hosting, { ownerId: teamId, name: repository.name });
    for (const appId of await markPushed(tx, { ownerId: teamId, repoUrl, sha, keyId, only }))
      await notify(tx, "pushes", appId);
  });
}

/** Notes the pushes whose process died before it did. Who has pushed is not known any more. */
export async function noteMissedPushes(
  parts: Omit<OperationContext, "actor" | "requestId"> & { log: Logger },
): Promise<void> {
  const { db, hosting, log } = parts;
  for (const repository of await readRepositoriesDeployedOnPush(db, `${hosting.baseUrl}/git/`)) {
    const actor = await actForTeam(db, repository.owner_id);
    await notePush({ ...parts, actor, requestId: newId() }, repository).catch((error: unknown) =>
      log.error({ err: error, repository_id: repository.id }, "a repository's pushes could not be looked up"),
    );
  }
}
