import { Redactor } from "@svc/shared/redact.ts";
import { readEnvVars, readLiveReleaseEnv } from "../db/env-vars.ts";
import { readAppDatabase } from "../db/pipeline-inputs.ts";
import { sealContext } from "../ports.ts";
import type { OperationContext } from "./context.ts";

/** What the platform adds to the environment is no secret, and a port number would take every other number with it. */
const PLATFORM_KEYS = /^(?:PORT|SVC_.*)$/;

/**
 * Hides every value that is configured for the app, the database's password and URL, and what the live release was
 * started with: a value that was changed since is still a secret (specification, Start, stop, restart, logs).
 */
export async function appRedactor(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<Redactor> {
  const stored = await readEnvVars(db, appId);
  const secrets = stored.map(({ key, value }) => keyRing.open(value, sealContext.env(appId, key)));
  const database = await readAppDatabase(db, appId);
  if (database) secrets.push(keyRing.open(database.password, sealContext.databasePassword(appId)));
  if (database?.url) secrets.push(keyRing.open(database.url, sealContext.databaseUrl(appId)));
  const live = await readLiveReleaseEnv(db, appId);
  if (live) {
    const env = JSON.parse(keyRing.open(live.env, sealContext.releaseEnv(live.deploy_id))) as Record<string, string>;
    for (const [key, value] of Object.entries(env)) if (!PLATFORM_KEYS.test(key)) secrets.push(value);
  }
  return new Redactor(secrets);
}
