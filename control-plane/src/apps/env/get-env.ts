import type { AppRow } from "../app.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { readEnvVars } from "./env-vars.store.ts";
import { sealContext } from "../../ports.ts";

/** The app's variables, decrypted, in the order of their keys. Who has read them is noted down first. */
export async function getEnv(ctx: OperationContext, app: AppRow): Promise<Record<string, string>> {
  await audit(ctx, ctx.db, { action: "env.read", target: `app:${app.id}` });
  return openEnv(ctx, app.id);
}

/** The same, for the platform's own use. */
export async function openEnv(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<Record<string, string>> {
  const rows = await readEnvVars(db, appId);
  return Object.fromEntries(rows.map(({ key, value }) => [key, keyRing.open(value, sealContext.env(appId, key))]));
}
