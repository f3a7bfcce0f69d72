import { sql } from "kysely";
import type { AppRow } from "../../apps/app.ts";
import type { TakenBack } from "./taken-back.ts";
import { rollbackReleaseName } from "./release.ts";
import type { Db } from "../../platform/database/database.ts";

/** The app of that server; its row stays locked until the transaction ends. */
export async function lockAppOn(
  tx: Db,
  serverId: string,
  appId: string,
): Promise<Pick<AppRow, "id" | "name" | "owner_id" | "current_release_id"> | undefined> {
  return tx
    .selectFrom("apps")
    .select(["id", "name", "owner_id", "current_release_id"])
    .where("id", "=", appId)
    .where("server_id", "=", serverId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function writeTakenBack(tx: Db, deployId: string, takenBack: TakenBack): Promise<void> {
  await tx
    .updateTable("deploys")
    .set({ taken_back: JSON.stringify(takenBack) })
    .where("id", "=", deployId)
    .execute();
}

/** With the release that the deploy made. */
export async function lockDeployOf(tx: Db, id: string, appId: string) {
  return tx
    .selectFrom("deploys")
    .select(["id", "app_id", "user_id", "status", "taken_back"])
    .select(sql<string | null>`(select id from releases where deploy_id = deploys.id)`.as("release_id"))
    .where("id", "=", id)
    .where("app_id", "=", appId)
    .forUpdate()
    .executeTakeFirst();
}

export type LockedDeploy = NonNullable<Awaited<ReturnType<typeof lockDeployOf>>>;

/** A rollback's container runs the release that it went back to. */
export async function readServedRelease(
  tx: Db,
  deployId: string,
  appId: string,
): Promise<{ id: string; name: string; deploy_id: string } | undefined> {
  return tx
    .selectFrom("deploys as d")
    .innerJoin("releases as r", (join) =>
      join.on(sql<boolean>`r.id = d.target_release_id or (d.target_release_id is null and r.deploy_id = d.id)`),
    )
    .select(["r.id", "r.name", "r.deploy_id"])
    .where("d.id", "=", deployId)
    .where("d.app_id", "=", appId)
    .executeTakeFirst();
}

/** It is over when it is recorded, and had no steps. */
export async function insertRollback(
  tx: Db,
  rollback: { id: string; at: Date; serverId: string; releaseId: string; deploy: LockedDeploy },
): Promise<void> {
  const { id, at, serverId, releaseId, deploy } = rollback;
  await tx
    .insertInto("deploys")
    .values({
      id,
      app_id: deploy.app_id,
      user_id: deploy.user_id,
      server_id: serverId,
      status: "success",
      ref: null,
      release: rollbackReleaseName(id),
      kind: "rollback",
      target_release_id: releaseId,
      started_at: at,
      finished_at: at,
    })
    .execute();
}
