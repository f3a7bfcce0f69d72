import type { AppRow } from "../db/apps.ts";
import { listDomainsOf } from "../db/domains.ts";
import type { OperationContext } from "./context.ts";

/** The app's domains, in alphabetical order. */
export async function listDomains(ctx: OperationContext, app: AppRow): Promise<string[]> {
  return listDomainsOf(ctx.db, app.id);
}
