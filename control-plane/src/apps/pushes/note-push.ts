import { inTransaction } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { markPushed } from "./pushes.store.ts";
import { recordHead, type RepositoryRow } from "../../repositories/repositories.store.ts";
import { permitsScope } from "../../platform/scope.ts";
import { repositoryUrl } from "../../repositories/hosting/hosting.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";

/**
 * Notes that the repository's default branch has changed, once for each change, and asks for a deploy of the caller's
 * apps that want one (extension, `deploy_on_push`), where the caller may deploy them. Pushes of other branches and tags
 * change nothing here.
 */
export async function notePush(ctx: OperationContext, repository: RepositoryRow): Promise<void> {
  const sha = await ctx.hosting.folders.headAfterPush(repository.id);
  if (sha === undefined) return;
  const { userId, keyId, apps: only } = ctx.actor;
  await inTransaction(ctx.db, async (tx) => {
    if (!(await recordHead(tx, repository.id, sha))) return;
    const repoUrl = repositoryUrl(ctx.hosting, { ownerId: userId, name: repository.name });
    await audit(ctx, tx, {
      action: "repository.push",
      target: `repository:${repository.id}`,
      detail: { name: repository.name, sha },
    });
    if (!permitsScope(ctx.actor, "deploys:write")) return;
    for (const appId of await markPushed(tx, { ownerId: userId, repoUrl, sha, keyId, only }))
      await notify(tx, "pushes", appId);
  });
}
