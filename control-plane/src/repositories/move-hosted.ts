import { SvcError } from "@svc/shared/errors.ts";
import { isUniqueViolation, type Db } from "../platform/database/database.ts";
import type { OperationContext } from "../platform/operation.ts";
import { findHostedRepository, repositoryUrl } from "./hosting/hosting.ts";
import { isUsedByOthers, moveRepository } from "./repositories.store.ts";

/**
 * Gives the repository on our git host that the app deploys from to the app's new owner.
 * @returns its address from now on; undefined when the app's repository is elsewhere
 * @throws SvcError invalid_request when other apps of the former owner deploy from it, name_taken
 */
export async function moveHosted(
  ctx: OperationContext,
  tx: Db,
  { app, to }: { app: { id: string; name: string; owner_id: string; repo_url: string | null }; to: string },
): Promise<string | undefined> {
  const repository =
    app.repo_url === null ? undefined : await findHostedRepository(ctx.hosting, tx, app.owner_id, app.repo_url);
  if (!repository) return undefined;
  const { id, name } = repository;
  if (await isUsedByOthers(tx, id, app.id)) {
    throw new SvcError(
      "invalid_request",
      `Other apps of the team deploy from the repository ${name} too: give this app a repository of its own first (repo_url).`,
    );
  }
  await moveRepository(tx, id, app.id, to).catch((error: unknown) => {
    if (!isUniqueViolation(error, "repositories_name")) throw error;
    throw new SvcError("name_taken", `That team has a repository ${name} already: the app's can't go there.`);
  });
  return repositoryUrl(ctx.hosting, { ownerId: to, name });
}
