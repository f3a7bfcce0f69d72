import type { AppRow } from "../db/apps.ts";
import type { OperationContext } from "./context.ts";
import { openEnv } from "./deploy-inputs.ts";

/** The app's variables, decrypted, in the order of their keys. */
export async function getEnv(ctx: OperationContext, app: AppRow): Promise<Record<string, string>> {
  return openEnv(ctx, app.id);
}
