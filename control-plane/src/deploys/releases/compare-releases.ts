import { SvcError } from "@svc/shared/errors.ts";
import { isPlatformEnvKey } from "@svc/shared/rules/env-key.ts";
import type { AppRow } from "../../apps/app.ts";
import { openMarkedEnv } from "../../apps/env/get-env.ts";
import { quoted } from "../../platform/invalid.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { sealContext } from "../../ports.ts";
import { openReleaseEnv } from "../inputs/app-secrets.ts";
import { readAppDatabase } from "../inputs/pipeline-inputs.store.ts";
import { checkReleaseName } from "./release.ts";
import { readReleaseToCompare, type ReleaseToCompare } from "./releases.store.ts";

/**
 * Says what differs between two releases of an app. Without a deploy before there is no first one, and of the next deploy
 * the variables alone are known.
 * @param from the release that serves when absent
 * @param to the next deploy when absent
 * @throws SvcError invalid_request for what is no name of a release; not_found when the app has no such one
 */
export async function compareReleases(
  ctx: OperationContext,
  app: AppRow,
  { from, to }: { from?: string | undefined; to?: string | undefined },
) {
  for (const name of [from, to]) if (name !== undefined) checkReleaseName(name);
  const [before, after] = [
    await readReleaseToCompare(ctx.db, app.id, from),
    to === undefined ? undefined : await readReleaseToCompare(ctx.db, app.id, to),
  ];
  if (from !== undefined && !before) throw noSuchRelease(app, from);
  if (to !== undefined && !after) throw noSuchRelease(app, to);
  const envBefore = before ? ownEnv(openReleaseEnv(ctx, before)) : {};
  const envAfter = after ? { ...after, env: ownEnv(openReleaseEnv(ctx, after)) } : await nextEnv(ctx, app, envBefore);
  const env = envChanges({ sealed: [], writtenAt: {}, ...before, env: envBefore }, envAfter);
  const writtenAt = after ? null : (Object.values(envAfter.writtenAt).toSorted().at(-1) ?? null);
  return { from: facts(before), to: facts(after), env: { ...env, written_at: writtenAt } };
}

/** Leaves out what differs with every release. */
function ownEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !isPlatformEnvKey(key)));
}

/** The stored variables, and those of the app's own database that a deploy adds. */
async function nextEnv({ db, keyRing }: OperationContext, app: AppRow, before: Readonly<Record<string, string>>) {
  const [stored, database] = [await openMarkedEnv({ db, keyRing }, app.id), await readAppDatabase(db, app.id)];
  return { ...stored, env: { ...databaseEnv({ keyRing }, app, database, before), ...stored.env } };
}

/** The variables that a deploy adds for the app's own database: those of its services are the ones that it has added before. */
function databaseEnv(
  { keyRing }: Pick<OperationContext, "keyRing">,
  app: AppRow,
  database: Awaited<ReturnType<typeof readAppDatabase>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  if (!database?.url) return {};
  const url = keyRing.open(database.url, sealContext.databaseUrl(app.id));
  const server = url.slice(0, url.lastIndexOf("/") + 1);
  const ofServices = Object.entries(before).filter(
    ([key, value]) => key.endsWith("_DATABASE_URL") && value.startsWith(server),
  );
  return { DATABASE_URL: url, ...Object.fromEntries(ofServices) };
}

function facts(release: ReleaseToCompare | undefined) {
  if (!release) return null;
  const { name, deployId, commitSha, imageDigest, framework, port, deployedBy, deployedAt } = release;
  return {
    release: name,
    deploy_id: deployId,
    commit_sha: commitSha,
    image_digest: imageDigest,
    framework,
    port,
    deployed_by: deployedBy,
    deployed_at: deployedAt?.toISOString() ?? null,
  };
}

function noSuchRelease({ name }: AppRow, release: string): SvcError {
  return new SvcError("not_found", `${name} has no release ${quoted(release)} that was started.`);
}

/** The variables that differ between two environments, by name: values are nobody's business here. */
interface EnvChanges {
  added: string[];
  removed: string[];
  changed: string[];
}

interface MarkedEnv {
  env: Readonly<Record<string, string>>;
  /** Names of those that are sealed. */
  sealed: readonly string[];
  /** When each was written, by its name. */
  writtenAt: Readonly<Record<string, string>>;
}

/**
 * The time when it was written decides about a variable that is sealed in one of the two, and not its value (decision 033): else
 * whoever may write it could try what it is. One whose time is not known counts as changed.
 */
function envChanges(from: MarkedEnv, to: MarkedEnv): EnvChanges {
  const [before, after] = [new Map(Object.entries(from.env)), new Map(Object.entries(to.env))];
  const sealed = new Set([...from.sealed, ...to.sealed]);
  const differs = (key: string): boolean => {
    if (!sealed.has(key)) return before.get(key) !== after.get(key);
    return from.writtenAt[key] === undefined || from.writtenAt[key] !== to.writtenAt[key];
  };
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
    changed: [...after.keys()].filter((key) => before.has(key) && differs(key)).toSorted(),
  };
}
