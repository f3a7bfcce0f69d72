import { appUrlSuffix } from "../fleet/app-url.ts";
import { checkFramework } from "./framework.ts";
import { invalid } from "../platform/invalid.ts";
import { checkPort } from "./port.ts";
import { checkRoot } from "../repositories/root.ts";
import { readAppJson } from "./app-json.ts";
import type { AppRow } from "./app.ts";
import { updateApp } from "./apps.store.ts";
import { inTransaction } from "../platform/database/database.ts";
import { adoptHosted, checkRepository, requireHosted } from "../repositories/check-repository.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { lockOwnApp } from "./find-app.ts";

export interface AppPatch {
  repo_url?: string | undefined;
  root?: string | undefined;
  /** Null for the one that is recognised. */
  framework?: string | null | undefined;
  /** Null for the framework's. */
  port?: number | null | undefined;
  deploy_on_push?: boolean | undefined;
}

/**
 * Changes what the next deploy is made of.
 * @returns JSON text of the app as persisted
 * @throws SvcError invalid_request, not_found
 */
export async function patchApp(ctx: OperationContext, app: AppRow, patch: AppPatch): Promise<string> {
  const { repo_url, framework, port, deploy_on_push: deployOnPush } = patch;
  const changed = Object.entries(patch).flatMap(([property, value]) => (value === undefined ? [] : [property]));
  if (changed.length === 0) throw invalid("Give at least one of repo_url, root, framework, port and deploy_on_push.");
  if (repo_url !== undefined) checkRepository(ctx, repo_url);
  const root = patch.root === undefined ? undefined : checkRoot(patch.root);
  if (typeof framework === "string") checkFramework(framework);
  if (typeof port === "number") checkPort(port);

  return inTransaction(ctx.db, async (tx) => {
    const { teamId } = ctx.actor;
    if (deployOnPush === true) await requireHosted(ctx, tx, repo_url ?? app.repo_url);
    await lockOwnApp(ctx, tx, app);
    if (repo_url !== undefined) await adoptHosted(ctx, tx, app.id, repo_url);
    await updateApp(tx, app.id, { repoUrl: repo_url, root, framework, port, deployOnPush });
    await audit(ctx, tx, { action: "app.patch", target: `app:${app.id}`, detail: { changed } });
    return readAppJson(tx, teamId, app, appUrlSuffix(ctx.platform));
  });
}
