import type { Redactor } from "@svc/shared/redaction/redact.ts";
import type { Claim } from "../deploy-claims.store.ts";
import { readAppDatabase, readRelease, readTargetRelease, type ReleaseFacts } from "../inputs/pipeline-inputs.store.ts";
import { readDeployInputs } from "../inputs/deploy-inputs.store.ts";
import { isPlatformEnvKey } from "../../apps/env/env-var.ts";
import { openDeployInputs, openEnv } from "../inputs/deploy-inputs.ts";
import { sealContext } from "../../ports.ts";
import type { PipelineContext } from "./context.ts";

/** The URL of the provisioned database, once there is one. */
export async function openDatabaseUrl({ db, keyRing }: PipelineContext, appId: string): Promise<string | undefined> {
  const database = await readAppDatabase(db, appId);
  return database?.url ? keyRing.open(database.url, sealContext.databaseUrl(appId)) : undefined;
}

/**
 * Hides every stored value, those that the deploy's container runs with and the database's password in step output and
 * errors (decisions, Secrets in step output).
 */
export async function redactorFor(ctx: PipelineContext, claim: Claim): Promise<Redactor> {
  const { appId, deployId } = claim;
  const secrets = Object.values(await openEnv(ctx, appId));
  const inputs = await readDeployInputs(ctx.db, deployId);
  if (inputs) secrets.push(...Object.values(openDeployInputs(ctx, deployId, inputs).env));
  secrets.push(...(await storedEnvOfRelease(ctx, claim)));
  const database = await readAppDatabase(ctx.db, appId);
  if (database) secrets.push(ctx.keyRing.open(database.password, sealContext.databasePassword(appId)));
  const url = await openDatabaseUrl(ctx, appId);
  if (url) secrets.push(url);
  return ctx.redactors.of(secrets);
}

/** The environment that a release runs with, as it was when it was made. */
export function openReleaseEnv(
  { keyRing }: PipelineContext,
  release: Pick<ReleaseFacts, "env" | "deployId">,
): Record<string, string> {
  return JSON.parse(keyRing.open(release.env, sealContext.releaseEnv(release.deployId))) as Record<string, string>;
}

/**
 * What the user had stored when the deploy's release, or the rollback's target, was made, and may have changed since: all
 * but the platform's own keys (hiding `3000` would hide reasons).
 */
async function storedEnvOfRelease(ctx: PipelineContext, { deployId, targetReleaseId }: Claim): Promise<string[]> {
  const own = targetReleaseId === undefined ? await readRelease(ctx.db, deployId) : undefined;
  const release = own ? { ...own, deployId } : targetReleaseId && (await readTargetRelease(ctx.db, targetReleaseId));
  if (!release) return [];
  const env = openReleaseEnv(ctx, release);
  return Object.entries(env).flatMap(([key, value]) => (isPlatformEnvKey(key) ? [] : [value]));
}
