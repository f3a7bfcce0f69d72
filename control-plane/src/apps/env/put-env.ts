import { isPublicKey } from "@svc/shared/rules/env-key.ts";
import { checkEnvCount, checkEnvVar, checkPublicEnv } from "./env-var.ts";
import type { AppRow } from "../app.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { readEnvKeys, upsertEnvVars } from "./env-vars.store.ts";
import { sealContext } from "../../ports.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { openEnv } from "./get-env.ts";
import { lockOwnApp } from "../find-app.ts";

/**
 * Creates or replaces the listed variables and keeps the others; all or nothing.
 * @returns how many were written
 * @throws SvcError env_limit, reserved_env_key, not_found
 */
export async function putEnv(
  ctx: OperationContext,
  app: AppRow,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const entries = Object.entries(env);
  for (const [key, value] of entries) checkEnvVar(key, value);
  const keys = entries.map(([key]) => key);

  return inTransaction(ctx.db, async (tx) => {
    // The app's row orders concurrent writes, or two of them could pass the limit together.
    await lockOwnApp(ctx, tx, app);
    checkEnvCount(new Set([...(await readEnvKeys(tx, app.id)), ...keys]), keys);
    if (keys.some(isPublicKey)) checkPublicEnv({ ...(await openEnv({ ...ctx, db: tx }, app.id)), ...env });
    const sealed = entries.map(([key, value]) => ({
      key,
      value: ctx.keyRing.seal(value, sealContext.env(app.id, key)),
    }));
    await upsertEnvVars(tx, app.id, sealed);
    await audit(ctx, tx, { action: "env.put", target: `app:${app.id}`, detail: { keys } });
    return entries.length;
  });
}
