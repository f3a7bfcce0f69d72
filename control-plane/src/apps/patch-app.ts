import { appUrlSuffix } from "../fleet/app-url.ts";
import { readOwnTier } from "../accounts/read-tier.ts";
import { checkCpus, checkMemory } from "./caps.ts";
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
  /** Such as "512m"; null for that of the spec file, else of the tier. */
  memory?: string | null | undefined;
  /** Such as "0.5"; null as for memory. */
  cpus?: string | null | undefined;
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
  if (changed.length === 0)
    throw invalid("Give at least one of repo_url, root, framework, port, memory, cpus and deploy_on_push.");
  if (repo_url !== undefined) checkRepository(ctx, repo_url);
  const root = patch.root === undefined ? undefined : checkRoot(patch.root);
  if (typeof framework === "string") checkFramework(framework);
  if (typeof port === "number") checkPort(port);
  const caps = await checkCaps(ctx, patch);

  return inTransaction(ctx.db, async (tx) => {
    const { teamId } = ctx.actor;
    if (deployOnPush === true) await requireHosted(ctx, tx, repo_url ?? app.repo_url);
    await lockOwnApp(ctx, tx, app);
    if (repo_url !== undefined) await adoptHosted(ctx, tx, app.id, repo_url);
    await updateApp(tx, app.id, { repoUrl: repo_url, root, framework, port, ...caps, deployOnPush });
    await audit(ctx, tx, { action: "app.patch", target: `app:${app.id}`, detail: { changed } });
    return readAppJson(tx, teamId, app, appUrlSuffix(ctx.platform));
  });
}

/** Returns the caps as they are stored. @throws SvcError invalid_request for a text that is no cap, and for more than the tier allows */
async function checkCaps(
  ctx: OperationContext,
  { memory, cpus }: AppPatch,
): Promise<Pick<AppPatch, "memory" | "cpus">> {
  if (typeof memory !== "string" && typeof cpus !== "string") return { memory, cpus };
  const tier = await readOwnTier(ctx);
  return {
    memory: typeof memory === "string" ? checkMemory(memory, tier) : memory,
    cpus: typeof cpus === "string" ? checkCpus(cpus, tier) : cpus,
  };
}
