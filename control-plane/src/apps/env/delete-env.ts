import { SvcError } from "@svc/shared/errors.ts";
import { isEnvKey } from "@svc/shared/rules/env-key.ts";
import type { AppRow } from "../app.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { touchApp } from "../apps.store.ts";
import { deleteEnvVar } from "./env-vars.store.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";

/** @throws SvcError not_found when the app has no such variable */
export async function deleteEnv(ctx: OperationContext, app: AppRow, key: string): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    if (!isEnvKey(key) || !(await deleteEnvVar(tx, app.id, key))) {
      throw new SvcError("not_found", "The app has no variable of that name.");
    }
    await touchApp(tx, app.id);
    await audit(ctx, tx, { action: "env.delete", target: `app:${app.id}`, detail: { key } });
  });
}
