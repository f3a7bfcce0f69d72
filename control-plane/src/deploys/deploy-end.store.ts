import { sql } from "kysely";
import type { ErrorCode } from "@svc/shared/errors.ts";
import type { AppStatus } from "../apps/app.ts";
import type { AppsAddress } from "../fleet/app-url.ts";
import type { TerminalStatus } from "./deploy.ts";
import type { Db } from "../platform/database/database.ts";
import { recordRemoval } from "../apps/removal/app-removals.store.ts";
import type { Claim } from "./deploy-claims.store.ts";
import { insertEvents } from "./events/deploy-events.store.ts";
import { stepEvent } from "./deploy-steps.store.ts";
import { notify } from "../platform/database/notify.ts";
import { settleKeptImages } from "./releases/releases.store.ts";
import { enqueueDeployNotice } from "../webhooks/webhook-deliveries.store.ts";

export interface DeployEnd {
  status: TerminalStatus;
  error?: string;
  errorCode?: ErrorCode;
  /** The id of the release that is live from now on. */
  releaseId?: string;
}

/** A deploy that ends: one in a worker's hands, or one that was never given to any. */
export type EndingDeploy = Pick<Claim, "deployId" | "appId" | "release"> & { serverId: string | null };

/**
 * Writes the terminal state, once, with everything that follows from it. The caller holds the rows of app and deploy.
 * What fails after it was asked to be canceled is canceled.
 * @param address where apps are served, for what webhooks are told
 */
export async function recordDeployEnd(
  trx: Db,
  ending: EndingDeploy,
  end: DeployEnd,
  address: AppsAddress,
): Promise<void> {
  const { kind, status, former_app_status } = await trx
    .updateTable("deploys")
    .set({
      status: end.status === "failed" ? failedOrCanceled : end.status,
      error: end.error ?? null,
      error_code: end.errorCode ?? null,
      finished_at: sql<Date>`now()`,
      lease_until: null,
      inputs: null,
      output_bytes: sql<string>`(select coalesce(sum(octet_length(output)), 0) from deploy_steps where deploy_id = deploys.id)`,
    })
    .where("id", "=", ending.deployId)
    .returning(["kind", sql<TerminalStatus>`status`.as("status"), "former_app_status"])
    .executeTakeFirstOrThrow();
  const skipped = await trx
    .updateTable("deploy_steps")
    .set({ status: "skipped" })
    .where("deploy_id", "=", ending.deployId)
    .where("status", "=", "pending")
    .returning(["step_name", "step_order"])
    .execute();
  await trx
    .updateTable("apps")
    .set(
      status === "success"
        ? {
            status: "running" as const,
            current_release_id: end.releaseId ?? null,
            platform_stop_holds: false,
            ...(kind === "deploy" ? { last_deployed_at: sql<Date>`now()` } : {}),
            updated_at: sql<Date>`now()`,
          }
        : {
            status: statusAgain(statusWithout(status, former_app_status)),
            updated_at: sql<Date>`now()`,
          },
    )
    .where("id", "=", ending.appId)
    .execute();
  if (status === "success") await settleKeptImages(trx, ending.appId);
  // The deploy took back the removal that the soft stop had asked for; what serves from before that is to go after all.
  if (status !== "success" && former_app_status === "soft_stopped") await removeAgain(trx, ending.appId);
  const byOrder = skipped.sort((a, b) => a.step_order - b.step_order);
  await insertEvents(trx, ending.deployId, [
    ...byOrder.map((step) => stepEvent({ name: step.step_name, order: step.step_order }, "skipped")),
    { kind: "deploy", payload: { status, ...(end.error === undefined ? {} : { error: end.error }) } },
  ]);
  await trx
    .insertInto("audit_log")
    .values({
      actor: "system",
      action: `${kind}.${status}`,
      target: `deploy:${ending.deployId}`,
      owner_id: sql<string>`(select owner_id from apps where id = ${ending.appId})`,
      detail: JSON.stringify({ app_id: ending.appId, release: ending.release }),
    })
    .execute();
  await enqueueDeployNotice(trx, ending.deployId, status, address);
  // Domains that came or went while the proxy was switched.
  await notify(trx, "routes", ending.appId);
  await notify(trx, "deploy_queue", ending.serverId ?? "");
}

/** A release that was live went with its server, when that was removed meanwhile. */
function statusAgain(former: AppStatus) {
  const needsRelease = former === "running" || former === "stopped";
  return sql<AppStatus>`case when status <> 'deploying' then status
    when ${needsRelease} and current_release_id is null then 'failed' else ${former} end`;
}

async function removeAgain(trx: Db, appId: string): Promise<void> {
  const { name, server_id } = await trx
    .selectFrom("apps")
    .select(["name", "server_id"])
    .where("id", "=", appId)
    .executeTakeFirstOrThrow();
  if (server_id !== null) await recordRemoval(trx, { appId, appName: name, serverId: server_id, purge: false });
}

const failedOrCanceled = sql<TerminalStatus>`case when cancel_requested_at is null then 'failed' else 'canceled' end`;

/**
 * Returns the app's status after a deploy that did not succeed: a live release keeps serving and a stopped one stays,
 * and the app's state with it. An app that its owner had removed stays so when its
 * deploy is canceled. Any other has failed: `deploying` without a deploy would promise what never comes.
 */
function statusWithout(deploy: TerminalStatus, former: AppStatus | null): AppStatus {
  if (former === "running" || former === "stopped") return former;
  return deploy === "canceled" && former === "soft_stopped" ? former : "failed";
}

/** Notes that a running deploy is to be canceled, and tells its worker. Returns whether it is the first time. */
export async function requestCancel(trx: Db, deployId: string): Promise<boolean> {
  const row = await trx
    .updateTable("deploys")
    .set({ cancel_requested_at: sql<Date>`now()` })
    .where("id", "=", deployId)
    .where("status", "=", "running")
    .where("cancel_requested_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  await notify(trx, "deploy_cancel", deployId);
  return row !== undefined;
}

/** Whether the deploy is to be canceled; final once the caller holds its row. */
export async function isCancelRequested(db: Db, deployId: string): Promise<boolean> {
  const row = await db
    .selectFrom("deploys")
    .select("cancel_requested_at")
    .where("id", "=", deployId)
    .executeTakeFirst();
  return row !== undefined && row.cancel_requested_at !== null;
}
