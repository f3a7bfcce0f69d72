import { isId } from "@svc/shared/rules/ids.ts";
import { appUrlSuffix } from "../fleet/app-url.ts";
import { invalid } from "../platform/invalid.ts";
import { readAppsJson } from "./app-json.ts";
import type { OperationContext } from "../platform/operation.ts";

/**
 * The caller's apps, oldest first; all of them without `limit`.
 * @param page.cursor the `next` of the page before
 * @returns JSON text of an array; `next` when there are more
 * @throws SvcError invalid_request when the cursor is none of ours
 */
export async function listApps(
  ctx: OperationContext,
  page: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ json: string; next: string | undefined }> {
  if (page.cursor !== undefined && !isId(page.cursor)) {
    throw invalid("cursor is not one that a list has returned: leave it out for the first page.");
  }
  return readAppsJson(
    ctx.db,
    ctx.actor.teams.map(({ teamId }) => teamId),
    {
      urlSuffix: appUrlSuffix(ctx.platform),
      only: ctx.actor.apps,
      limit: page.limit ?? null,
      after: page.cursor ?? null,
    },
  );
}
