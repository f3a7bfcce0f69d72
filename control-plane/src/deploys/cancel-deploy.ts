import { SvcError } from "@svc/shared/errors.ts";
import { isTerminal } from "./deploy.ts";
import { lockAppOf } from "../apps/find-app.ts";
import { inTransaction } from "../platform/database/database.ts";
import { recordDeployEnd } from "./record-deploy-end.ts";
import { noSuchDeploy } from "./find-deploy.ts";
import { requestCancel } from "./deploy-end.store.ts";
import { requireNotSwitched } from "./moves/cancel-move.ts";
import { lockDeploy } from "./deploys.store.ts";
import { audit, type OperationContext } from "../platform/operation.ts";

/**
 * Cancels a deploy: at once while it waits; one that runs is stopped, and what it did is taken back, by its worker. From
 * here on it ends as `canceled` and as nothing else. Asking again while it is being stopped changes nothing.
 * @throws SvcError not_found; deploy_finished, also for a move that has switched
 */
export async function cancelDeploy(
  ctx: OperationContext,
  deploy: { id: string; app_id: string },
): Promise<"canceled" | "canceling"> {
  return inTransaction(ctx.db, async (tx) => {
    const app = await lockAppOf(ctx, tx, deploy.app_id);
    const locked = app && (await lockDeploy(tx, deploy.id));
    if (!locked) throw noSuchDeploy();
    const { kind, status, release, server_id: serverId } = locked;
    if (isTerminal(status)) {
      throw new SvcError("deploy_finished", `This deploy has ended already: its status is ${status}.`);
    }
    const entry = { action: "deploy.cancel", target: `deploy:${deploy.id}`, detail: { app: app.name } };
    if (kind === "move") await requireNotSwitched(tx, { id: deploy.id, appName: app.name });
    if (status === "running") {
      if (await requestCancel(tx, deploy.id)) await audit(ctx, tx, entry);
      return "canceling";
    }
    await audit(ctx, tx, entry);
    const ending = { deployId: deploy.id, appId: deploy.app_id, release, serverId };
    await recordDeployEnd(tx, ending, { status: "canceled", errorCode: "canceled" }, ctx.platform);
    return "canceled";
  });
}
