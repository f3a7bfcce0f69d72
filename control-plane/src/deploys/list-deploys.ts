import type { AppRow } from "../apps/app.ts";
import { readStartedDeploys } from "./deploys.store.ts";
import { invalid } from "../platform/invalid.ts";
import type { OperationContext } from "../platform/operation.ts";
import { deployView } from "./deploy-view.ts";

/** As PostgreSQL's bigint. */
const CURSOR = /^[0-9]{1,18}$/;

/**
 * The app's deploys that have started, newest first.
 * @param page.cursor the `next` of the page before
 * @returns `next` when there are older ones
 * @throws SvcError invalid_request when the cursor is none of ours
 */
export async function listDeploys(
  ctx: OperationContext,
  app: AppRow,
  { limit, cursor: before }: { limit: number; cursor?: string | undefined },
) {
  if (before !== undefined && !CURSOR.test(before)) {
    throw invalid("cursor is not one that a list has returned: leave it out for the first page.");
  }
  const rows = await readStartedDeploys(ctx.db, ctx.actor.teamId, app.id, { limit: limit + 1, before });
  const page = rows.slice(0, limit);
  return { deploys: page.map(deployView), next: rows.length > limit ? page.at(-1)!.seq : undefined };
}
