import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import type { PushedRepository } from "../../repositories/hosted-repository.ts";

/**
 * Marks the owner's apps that deploy from the URL on every push; a later push takes the place of an earlier one.
 * @param push.only names of apps; null for all of them
 */
export async function markPushed(
  tx: Db,
  push: { ownerId: string; repoUrl: string; sha: string; keyId: string | undefined; only: readonly string[] | null },
): Promise<string[]> {
  const rows = await tx
    .updateTable("apps")
    .set({ pushed_sha: push.sha, pushed_by_key: push.keyId ?? null })
    .where("owner_id", "=", push.ownerId)
    .where("repo_url", "=", push.repoUrl)
    .where("deploy_on_push", "=", true)
    .where("status", "!=", "soft_stopped")
    .$if(push.only !== null, (query) => query.where("name", "in", push.only!))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

export async function clearPushed(tx: Db, id: string): Promise<void> {
  await tx.updateTable("apps").set({ pushed_sha: null, pushed_by_key: null }).where("id", "=", id).execute();
}

/** Lists those that an app of the same owner deploys from on every push; `urlPrefix` is `{base_url}/git/`. */
export async function readRepositoriesDeployedOnPush(db: Db, urlPrefix: string): Promise<PushedRepository[]> {
  return db
    .selectFrom("repositories as r")
    .select(["r.id", "r.owner_id", "r.name"])
    .where(
      sql<boolean>`exists (
        select from apps a
        where a.owner_id = r.owner_id and a.deploy_on_push and a.repo_url = ${urlPrefix} || r.owner_id || '/' || r.name || '.git'
      )`,
    )
    .execute();
}
