import { parseHostedRepositoryUrl } from "./hosted-repository.ts";
import { invalid } from "../platform/invalid.ts";
import { checkRepoUrl } from "./repo-url.ts";
import type { Db } from "../platform/database/database.ts";
import { adoptRepository, releaseRepository } from "./repositories.store.ts";
import { findHostedRepository } from "./hosting/hosting.ts";
import type { OperationContext } from "../platform/operation.ts";
import { requireAppPermission } from "../accounts/require-app-permission.ts";

/**
 * A `repo_url` that the caller may store. One of the platform's own git host is as good as {base_url}, http in development
 * included; whose it is is looked at when it is cloned, and a key that is limited to apps names only repositories that it
 * may read itself.
 * @throws SvcError invalid_request, insufficient_scope
 */
export function checkRepository(ctx: OperationContext, url: string): void {
  const hosted = parseHostedRepositoryUrl(ctx.hosting.baseUrl, url);
  if (!hosted) return checkRepoUrl(url);
  if (hosted.ownerId === ctx.actor.teamId) requireAppPermission(ctx, hosted.name);
}

/** @throws SvcError invalid_request when nobody would tell us of a push to it */
export async function requireHosted(ctx: OperationContext, tx: Db, url: string | null): Promise<void> {
  if (url !== null && (await findHostedRepository(ctx.hosting, tx, ctx.actor.teamId, url))) return;
  throw invalid(
    "deploy_on_push works with your repositories on the platform's own git host, which apps from a template have: " +
      "for another repository call POST /api/apps/{name}/deploy from its host's webhook or pipeline.",
  );
}

/** One of the platform's that the caller had made before the app goes with the app that deploys from it. */
export async function adoptHosted(ctx: OperationContext, tx: Db, appId: string, url: string): Promise<void> {
  const repository = await findHostedRepository(ctx.hosting, tx, ctx.actor.teamId, url);
  if (repository) await adoptRepository(tx, repository.id, appId);
}

/** The app's repository goes with the app's row, unless another app of the owner deploys from it: then it belongs to none. */
export const releaseHosted = releaseRepository;
