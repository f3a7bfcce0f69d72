import { isPublicKey, PUBLIC_PREFIXES } from "@svc/shared/rules/env-key.ts";
import { checkEnvCount, checkEnvVar, checkPublicEnv } from "./env-var.ts";
import type { AppRow } from "../app.ts";
import { touchApp } from "../apps.store.ts";
import { invalid, quoted } from "../../platform/invalid.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { readEnvKeys, sealEnvVars, upsertEnvVars } from "./env-vars.store.ts";
import { sealContext } from "../../ports.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { openEnv } from "./get-env.ts";
import { lockOwnApp } from "../find-app.ts";

/**
 * Creates or replaces the listed variables and keeps the others; all or nothing.
 * @param sealed variables of these or of the app's others whose values nobody reads any more
 * @returns how many were written
 * @throws SvcError invalid_request, env_limit, reserved_env_key, not_found
 */
export async function putEnv(
  ctx: OperationContext,
  app: AppRow,
  { env, sealed: toSeal = [] }: { env: Readonly<Record<string, string>>; sealed?: readonly string[] | undefined },
): Promise<number> {
  const entries = Object.entries(env);
  for (const [key, value] of entries) checkEnvVar(key, value);
  const keys = entries.map(([key]) => key);
  const sealed = [...new Set(toSeal)];
  requireNotPublic(sealed);

  return inTransaction(ctx.db, async (tx) => {
    // The app's row orders concurrent writes, or two of them could pass the limit together.
    await lockOwnApp(ctx, tx, app);
    const all = new Set([...(await readEnvKeys(tx, app.id)), ...keys]);
    checkEnvCount(all, keys);
    requireAmong(all, sealed);
    if (keys.some(isPublicKey)) checkPublicEnv({ ...(await openEnv({ ...ctx, db: tx }, app.id)), ...env });
    const encrypted = entries.map(([key, value]) => ({
      key,
      value: ctx.keyRing.seal(value, sealContext.env(app.id, key)),
    }));
    await upsertEnvVars(tx, app.id, encrypted);
    await sealEnvVars(tx, app.id, sealed);
    await touchApp(tx, app.id);
    await audit(ctx, tx, {
      action: "env.put",
      target: `app:${app.id}`,
      detail: { keys, ...(sealed.length > 0 && { sealed }) },
    });
    return entries.length;
  });
}

/** @throws SvcError invalid_request */
function requireNotPublic(sealed: readonly string[]): void {
  const key = sealed.find(isPublicKey);
  if (key === undefined) return;
  throw invalid(
    `The property sealed names ${quoted(key)}, which a build puts into what every visitor's browser loads: leave it out, or give ` +
      `the variable a name that does not begin with ${PUBLIC_PREFIXES.join(", ")}.`,
  );
}

/** @throws SvcError invalid_request */
function requireAmong(keys: ReadonlySet<string>, sealed: readonly string[]): void {
  const unknown = sealed.find((key) => !keys.has(key));
  if (unknown === undefined) return;
  throw invalid(
    `The property sealed names ${quoted(unknown)}, which the app does not have: set it in the same request.`,
  );
}
