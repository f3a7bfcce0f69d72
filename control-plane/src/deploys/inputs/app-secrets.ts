import { readInputsOfRunning } from "./deploy-inputs.store.ts";
import { readLiveReleaseEnv } from "../../apps/env/env-vars.store.ts";
import { readAppDatabase } from "./pipeline-inputs.store.ts";
import { isPlatformEnvKey } from "../../apps/env/env-var.ts";
import { sealContext } from "../../ports.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { openDeployInputs, openEnv } from "./deploy-inputs.ts";

/**
 * Every value that is configured for the app, the database's password and URL, and what the live release and the deploy
 * that runs were begun with: a value that was changed since is still a secret (specification, Start, stop, restart, logs).
 */
export async function appSecrets(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<string[]> {
  const secrets = Object.values(await openEnv({ db, keyRing }, appId));
  const running = await readInputsOfRunning(db, appId);
  if (running) secrets.push(...Object.values(openDeployInputs({ keyRing }, running.deployId, running.inputs).env));
  const database = await readAppDatabase(db, appId);
  if (database) secrets.push(keyRing.open(database.password, sealContext.databasePassword(appId)));
  if (database?.url) secrets.push(keyRing.open(database.url, sealContext.databaseUrl(appId)));
  const live = await readLiveReleaseEnv(db, appId);
  if (live) secrets.push(...releaseSecrets({ keyRing }, live));
  return secrets;
}

/**
 * The values that a release was, or is to be, started with. The platform's own are no secrets, and hiding a port number would
 * hide every other number with it.
 */
export function releaseSecrets(
  { keyRing }: Pick<OperationContext, "keyRing">,
  { env: sealed, deploy_id }: { env: Buffer; deploy_id: string },
): string[] {
  const env = JSON.parse(keyRing.open(sealed, sealContext.releaseEnv(deploy_id))) as Record<string, string>;
  return Object.entries(env).flatMap(([key, value]) => (isPlatformEnvKey(key) ? [] : [value]));
}
