import type { AppRow } from "../app.ts";
import { readDeployKey } from "./deploy-keys.store.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { noDeployKey, toDeployKeyView } from "./deploy-key-view.ts";
import { requireDeployKeyRepository } from "./require-deploy-key-repository.ts";

/** @throws SvcError deploy_key_unsupported, not_found when the app has none */
export async function getDeployKey(ctx: OperationContext, app: AppRow) {
  requireDeployKeyRepository(ctx, app);
  const row = await readDeployKey(ctx.db, app.id);
  if (!row) throw noDeployKey();
  return toDeployKeyView(row);
}
