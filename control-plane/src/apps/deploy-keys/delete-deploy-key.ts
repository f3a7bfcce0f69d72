import type { AppRow } from "../app.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { deleteDeployKeyRow } from "./deploy-keys.store.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { noDeployKey } from "./deploy-key-view.ts";
import { requireDeployKeyRepository } from "./require-deploy-key-repository.ts";

/** Later deploys clone without a key. @throws SvcError deploy_key_unsupported, not_found when the app has none */
export async function deleteDeployKey(ctx: OperationContext, app: AppRow): Promise<void> {
  requireDeployKeyRepository(ctx, app);
  await inTransaction(ctx.db, async (tx) => {
    const fingerprint = await deleteDeployKeyRow(tx, app.id);
    if (fingerprint === undefined) throw noDeployKey();
    await audit(ctx, tx, { action: "deploy_key.delete", target: `app:${app.id}`, detail: { fingerprint } });
  });
}
