import type { AppRow } from "../apps/app.ts";
import { listDomainsOf } from "./domains.store.ts";
import type { OperationContext } from "../platform/operation.ts";

/** The app's domains, in alphabetical order. */
export async function listDomains(ctx: OperationContext, app: AppRow): Promise<string[]> {
  return listDomainsOf(ctx.db, app.id);
}
