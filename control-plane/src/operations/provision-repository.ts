import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/ids.ts";
import type { Db } from "../db/database.ts";
import { deleteUnclaimedRepository, insertRepository } from "../db/repositories.ts";
import type { Template } from "../hosting/template.ts";
import type { OperationContext } from "./context.ts";

/**
 * Copies the template into a new private repository of the caller. The folder is there before the row is committed; when
 * the transaction fails after all, or the process dies, a sweep removes the folder.
 * @throws SvcError template_provisioning_failed
 */
export async function provisionRepository(
  ctx: OperationContext,
  tx: Db,
  { appId, name, template }: { appId: string; name: string; template: Template },
): Promise<void> {
  const id = newId(ctx.clock.now());
  const { folders } = ctx.hosting;
  try {
    // One that waited for an app of this name gives way: this app has its own.
    await deleteUnclaimedRepository(tx, ctx.actor.userId, name);
    const headSha = await folders.createFrom(id, template.folder, `Start from the template ${template.slug}`);
    await insertRepository(tx, { id, ownerId: ctx.actor.userId, name, appId, headSha });
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
