import { notAttached } from "./custom-domain.ts";
import type { AppRow } from "../apps/app.ts";
import { inTransaction } from "../platform/database/database.ts";
import { deleteDomain } from "./domains.store.ts";
import { notify } from "../platform/database/notify.ts";
import { audit, type OperationContext } from "../platform/operation.ts";

/** Ends the domain's route and frees it. @throws SvcError not_found */
export async function removeDomain(ctx: OperationContext, app: AppRow, domain: string): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    if (!(await deleteDomain(tx, app.id, domain))) {
      throw notAttached(app, domain);
    }
    await audit(ctx, tx, { action: "domain.remove", target: `app:${app.id}`, detail: { app: app.name, domain } });
    await notify(tx, "routes", app.id);
  });
  await ctx.hosts.syncApp(app.id);
}
