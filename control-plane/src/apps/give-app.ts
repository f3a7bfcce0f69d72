import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../platform/database/database.ts";
import { countApps, writeOwner } from "./apps.store.ts";

/**
 * Makes the team the app's owner. The caller holds the team's row and the app's.
 * @param to.repoUrl where its repository is from now on; undefined where it was
 * @throws SvcError app_limit
 */
export async function giveApp(
  tx: Db,
  appId: string,
  to: { teamId: string; repoUrl: string | undefined; tier: string; limit: number },
): Promise<void> {
  if ((await countApps(tx, to.teamId)) >= to.limit) {
    throw new SvcError("app_limit", `That team's tier ${to.tier} allows ${to.limit} apps, soft-stopped ones included.`);
  }
  await writeOwner(tx, appId, to.teamId, to.repoUrl);
}
