import { SvcError } from "@svc/shared/errors.ts";
import { isEnvKey } from "../domain/env-var.ts";
import type { AppRow } from "../db/apps.ts";
import { inTransaction } from "../db/database.ts";
import { deleteEnvVar } from "../db/env-vars.ts";
import { audit, type OperationContext } from "./context.ts";

/** @throws SvcError not_found when the app has no such variable */
export async function deleteEnv(ctx: OperationContext, app: AppRow, key: string): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    if (!isEnvKey(key) || !(await deleteEnvVar(tx, app.id, key))) {
      throw new SvcError("not_found", "The app has no variable of that name.");
    }
    await audit(ctx, tx, { action: "env.delete", target: `app:${app.id}`, detail: { key } });
  });
}
