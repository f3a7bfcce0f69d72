import type { Redactor } from "@svc/shared/redaction/redact.ts";
import type { Claim } from "../deploy-claims.store.ts";
import { readAppDatabase, readRelease, readTargetRelease, type ReleaseFacts } from "../inputs/pipeline-inputs.store.ts";
import { appSecrets, releaseSecrets } from "../inputs/app-secrets.ts";
import { readDeployInputs } from "../inputs/deploy-inputs.store.ts";
import { openDeployInputs } from "../inputs/deploy-inputs.ts";
import { sealContext } from "../../ports.ts";
import type { PipelineContext } from "./context.ts";

/** The URL of the provisioned database, once there is one. */
export async function openDatabaseUrl({ db, keyRing }: PipelineContext, appId: string): Promise<string | undefined> {
  const database = await readAppDatabase(db, appId);
  return database?.url ? keyRing.open(database.url, sealContext.databaseUrl(appId)) : undefined;
}

/**
 * Hides in step output and errors all that the app's log hides, and what this deploy and its release were begun with, which
 * may have been changed since (decisions, Secrets in step output).
 */
export async function redactorFor(ctx: PipelineContext, claim: Claim): Promise<Redactor> {
  const { appId, deployId, targetReleaseId } = claim;
  const secrets = await appSecrets(ctx, appId);
  const inputs = await readDeployInputs(ctx.db, deployId);
  if (inputs) secrets.push(...Object.values(openDeployInputs(ctx, deployId, inputs).env));
  const own = targetReleaseId === undefined ? await readRelease(ctx.db, deployId) : undefined;
  const release = own ? { ...own, deployId } : targetReleaseId && (await readTargetRelease(ctx.db, targetReleaseId));
  if (release) secrets.push(...releaseSecrets(ctx, { env: release.env, deploy_id: release.deployId }));
  return ctx.redactors.of(secrets);
}

/** The environment that a release runs with, as it was when it was made. */
export function openReleaseEnv(
  { keyRing }: PipelineContext,
  release: Pick<ReleaseFacts, "env" | "deployId">,
): Record<string, string> {
  return JSON.parse(keyRing.open(release.env, sealContext.releaseEnv(release.deployId))) as Record<string, string>;
}
