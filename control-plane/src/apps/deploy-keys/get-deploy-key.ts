import type { AppRow } from "../app.ts";
import { readDeployKey } from "./deploy-keys.store.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { noDeployKey, toDeployKeyView, type DeployKeyView } from "./deploy-key-view.ts";
import { requireDeployKeyRepository } from "./require-deploy-key-repository.ts";

/** @throws SvcError deploy_key_unsupported, not_found when the app has none */
export async function getDeployKey(ctx: OperationContext, app: AppRow): Promise<DeployKeyView> {
  requireDeployKeyRepository(ctx, app);
  const row = await readDeployKey(ctx.db, app.id);
  if (!row) throw noDeployKey();
  return toDeployKeyView(row);
}
