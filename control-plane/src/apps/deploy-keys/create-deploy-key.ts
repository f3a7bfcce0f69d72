import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../app.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { insertDeployKey } from "./deploy-keys.store.ts";
import { makeOpenSshKey } from "./openssh-key.ts";
import { sealContext } from "../../ports.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { toDeployKeyView } from "./deploy-key-view.ts";
import { requireDeployKeyRepository } from "./require-deploy-key-repository.ts";
import { lockOwnApp } from "../find-app.ts";

/**
 * Makes the key pair that later deploys of the app clone with. The private key stays here.
 * @throws SvcError deploy_key_unsupported, deploy_key_exists, not_found
 */
export async function createDeployKey(ctx: OperationContext, app: AppRow) {
  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockOwnApp(ctx, tx, app);
    requireDeployKeyRepository(ctx, locked);
    const { publicKey, privateKey, fingerprint } = makeOpenSshKey(`svc:${locked.name}`);
    const sealed = ctx.keyRing.seal(privateKey, sealContext.deployKey(app.id));
    const row = await insertDeployKey(tx, { appId: app.id, publicKey, fingerprint, privateKey: sealed });
    if (!row) {
      throw new SvcError(
        "deploy_key_exists",
        `The app ${app.name} has a deploy key: read it with GET, or DELETE it before you make another one.`,
      );
    }
    await audit(ctx, tx, { action: "deploy_key.create", target: `app:${app.id}`, detail: { fingerprint } });
    return toDeployKeyView(row);
  });
}
