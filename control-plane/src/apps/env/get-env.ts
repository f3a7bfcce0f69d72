import type { AppRow } from "../apps.store.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { openEnv } from "../../deploys/inputs/deploy-inputs.ts";

/** The app's variables, decrypted, in the order of their keys. Who has read them is noted down first. */
export async function getEnv(ctx: OperationContext, app: AppRow): Promise<Record<string, string>> {
  await audit(ctx, ctx.db, { action: "env.read", target: `app:${app.id}` });
  return openEnv(ctx, app.id);
}
