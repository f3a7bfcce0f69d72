import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../platform/database/database.ts";
import { deleteUnclaimedRepository, insertRepository, readRepository } from "./repositories.store.ts";
import { audit, type OperationContext } from "../platform/operation.ts";

/**
 * Copies the template into a new private repository of the caller. The folder is there before the row is committed; when
 * the transaction fails after all, or the process dies, a sweep removes the folder.
 * @throws SvcError name_taken when another app deploys from the caller's repository of that name,
 *   template_provisioning_failed
 */
export async function provisionRepository(
  ctx: OperationContext,
  tx: Db,
  { appId, name, template }: { appId: string; name: string; template: { slug: string; folder: string } },
): Promise<void> {
  await makeWay(ctx, tx, appId, name);
  const id = newId(ctx.clock.now());
  const { folders } = ctx.hosting;
  try {
    const headSha = await folders.createFrom(id, template.folder, `Start from the template ${template.slug}`);
    await insertRepository(tx, { id, ownerId: ctx.actor.teamId, name, appId, headSha });
  } catch (cause) {
    await folders.remove(id).catch(() => undefined);
    throw new SvcError(
      "template_provisioning_failed",
      `The template ${template.slug} could not be copied into a new repository, so the app was not created. Try again; ` +
        "if it fails again, whoever runs this service finds the reason in its log (is the disk full?).",
      { cause },
    );
  }
}

/** An unused repository that waited for an app of this name gives way: this app has its own. */
async function makeWay(ctx: OperationContext, tx: Db, appId: string, name: string): Promise<void> {
  const { teamId: ownerId } = ctx.actor;
  const deletedId = await deleteUnclaimedRepository(tx, { ownerId, name, exceptAppId: appId });
  if (deletedId !== undefined) {
    await audit(ctx, tx, { action: "repository.delete", target: `repository:${deletedId}`, detail: { name } });
  } else if (await readRepository(tx, ownerId, name)) {
    throw new SvcError(
      "name_taken",
      `Another of your apps has the repository ${name}, so a template can't be copied there: choose another name for ` +
        "the app, or purge the app that has the repository first.",
    );
  }
}
