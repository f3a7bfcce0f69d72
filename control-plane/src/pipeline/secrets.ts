import { Redactor } from "@svc/shared/redact.ts";
import { readAppDatabase, readRelease, readSealedEnv } from "../db/pipeline-inputs.ts";
import { sealContext } from "../ports.ts";
import type { PipelineContext } from "./context.ts";

/** The app's stored variables, decrypted. */
export async function openEnv({ db, keyRing }: PipelineContext, appId: string): Promise<Record<string, string>> {
  const rows = await readSealedEnv(db, appId);
  return Object.fromEntries(rows.map(({ key, value }) => [key, keyRing.open(value, sealContext.env(appId, key))]));
}

/** The URL of the provisioned database, once there is one. */
export async function openDatabaseUrl({ db, keyRing }: PipelineContext, appId: string): Promise<string | undefined> {
  const database = await readAppDatabase(db, appId);
  return database?.url ? keyRing.open(database.url, sealContext.databaseUrl(appId)) : undefined;
}

/** What the platform itself adds to the environment; none of it is a secret, and hiding `3000` would hide reasons. */
const PLATFORM_KEYS: ReadonlySet<string> = new Set(["PORT", "SVC_APP", "SVC_RELEASE", "SVC_COMMIT_SHA"]);

/** The variables that the deploy's own release was made with: they may have been changed since. */
async function openReleaseEnv({ db, keyRing }: PipelineContext, deployId: string): Promise<Record<string, string>> {
  const release = await readRelease(db, deployId);
  if (!release) return {};
  return JSON.parse(keyRing.open(release.env, sealContext.releaseEnv(deployId))) as Record<string, string>;
}

/**
 * Hides every stored value, those that the deploy's container runs with and the database's password in step output and
 * errors (decisions, Secrets in step output).
 */
export async function redactorFor(ctx: PipelineContext, { appId, deployId }: RedactedRun): Promise<Redactor> {
  const secrets = Object.values(await openEnv(ctx, appId));
  for (const [key, value] of Object.entries(await openReleaseEnv(ctx, deployId))) {
    if (!PLATFORM_KEYS.has(key)) secrets.push(value);
  }
  const database = await readAppDatabase(ctx.db, appId);
  if (database) secrets.push(ctx.keyRing.open(database.password, sealContext.databasePassword(appId)));
  const url = await openDatabaseUrl(ctx, appId);
  if (url) secrets.push(url);
  return new Redactor(secrets);
}

interface RedactedRun {
  appId: string;
  deployId: string;
}
