import type { Redactor } from "@svc/shared/redaction/redact.ts";
import { openEnv } from "../../apps/env/get-env.ts";
import { isPlatformEnvKey } from "@svc/shared/rules/env-key.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { sealContext } from "../../ports.ts";
import type { Claim } from "../deploy-claims.store.ts";
import type { ReleaseOf } from "../releases/release.ts";
import { readReleaseEnv, readReleaseEnvs } from "../releases/releases.store.ts";
import { openDeployInputs } from "./deploy-inputs.ts";
import {
  readAppDatabase,
  readInputsOfRunning,
  readRelease,
  readTargetRelease,
  type ReleaseFacts,
} from "./pipeline-inputs.store.ts";

/** The releases whose former values a search hides. */
const RELEASES_MAX = 20;
/**
 * Bytes of former values that go to an agent with a search, of the 2 MiB that its requests may have: the app's own take up to
 * 1.5 MiB. A byte of a short value costs the agent some 250 bytes of memory.
 */
const FORMER_BYTES_MAX = 128 * 1024;

/**
 * Every value that is configured for the app, the database's password and URL, and what the live release and the deploy
 * that runs were begun with: a value that was changed since is still a secret.
 */
export async function appSecrets(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<string[]> {
  // Read before the live release: a deploy that ends in between is found as one or the other.
  const running = await readInputsOfRunning(db, appId);
  const [env, database, live] = await Promise.all([
    openEnv({ db, keyRing }, appId),
    readAppDatabase(db, appId),
    readReleaseEnv(db, appId, "live"),
  ]);
  const secrets = Object.values(env);
  if (running) secrets.push(...Object.values(openDeployInputs({ keyRing }, running.deployId, running.inputs).env));
  if (database) secrets.push(keyRing.open(database.password, sealContext.databasePassword(appId)));
  if (database?.url) secrets.push(keyRing.open(database.url, sealContext.databaseUrl(appId)));
  if (live) secrets.push(...releaseSecrets({ keyRing }, live));
  return secrets;
}

/**
 * The same, and what the app's newest releases were started with, as far as it has room: their requests and lines are
 * searched too.
 */
export async function secretsOfReleases(
  ctx: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<string[]> {
  const secrets = new Set(await appSecrets(ctx, appId));
  let room = FORMER_BYTES_MAX;
  for (const release of await readReleaseEnvs(ctx.db, appId, RELEASES_MAX)) {
    for (const secret of releaseSecrets(ctx, release)) {
      const bytes = secrets.has(secret) ? 0 : Buffer.byteLength(secret);
      if (bytes > room) continue;
      room -= bytes;
      secrets.add(secret);
    }
  }
  return [...secrets];
}

/** Hides in a deploy's output and errors all that the app's log hides, and what its own release is started with. */
export async function deployRedactor(
  ctx: Pick<OperationContext, "db" | "keyRing" | "redactors">,
  { appId, deployId, targetReleaseId }: Pick<Claim, "appId" | "deployId" | "targetReleaseId">,
): Promise<Redactor> {
  const [secrets, release] = await Promise.all([
    appSecrets(ctx, appId),
    targetReleaseId === undefined ? readRelease(ctx.db, deployId) : readTargetRelease(ctx.db, targetReleaseId),
  ]);
  if (release) secrets.push(...releaseSecrets(ctx, release));
  return ctx.redactors.of(secrets);
}

/**
 * The values that a release was, or is to be, started with. The platform's own are no secrets, and hiding a port number would
 * hide every other number with it.
 */
function releaseSecrets(parts: Pick<OperationContext, "keyRing">, release: SealedEnv): string[] {
  const env = openReleaseEnv(parts, release);
  return Object.entries(env).flatMap(([key, value]) => (isPlatformEnvKey(key) ? [] : [value]));
}

/** The same of one of the app's releases; undefined when no container of it was ever started. */
export async function secretsOfRelease(
  ctx: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
  of: ReleaseOf,
): Promise<string[] | undefined> {
  const release = await readReleaseEnv(ctx.db, appId, of);
  return release && releaseSecrets(ctx, release);
}

type SealedEnv = Pick<ReleaseFacts, "env" | "deployId">;

/** The environment that a release runs with, as it was when it was made. */
export function openReleaseEnv(
  { keyRing }: Pick<OperationContext, "keyRing">,
  { env, deployId }: SealedEnv,
): Record<string, string> {
  return JSON.parse(keyRing.open(env, sealContext.releaseEnv(deployId))) as Record<string, string>;
}
