import type { AppRow } from "../db/apps.ts";
import { readEnvVars } from "../db/env-vars.ts";
import { sealContext } from "../ports.ts";
import type { OperationContext } from "./context.ts";

/** The app's variables, decrypted, in the order of their keys. */
export async function getEnv(ctx: OperationContext, app: AppRow): Promise<Record<string, string>> {
  const rows = await readEnvVars(ctx.db, app.id);
  return Object.fromEntries(rows.map(({ key, value }) => [key, ctx.keyRing.open(value, sealContext.env(app.id, key))]));
}
