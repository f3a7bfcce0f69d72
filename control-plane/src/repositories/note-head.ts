import type { Db } from "../platform/database/database.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import type { PushedRepository } from "./hosted-repository.ts";
import { recordHead } from "./repositories.store.ts";

/**
 * Notes which commit the default branch has.
 * @returns whether that is another one than before; of several that note it at once, one is told so
 */
export async function noteHead(
  ctx: OperationContext,
  tx: Db,
  { id, name }: PushedRepository,
  sha: string,
): Promise<boolean> {
  if (!(await recordHead(tx, id, sha))) return false;
  await audit(ctx, tx, { action: "repository.push", target: `repository:${id}`, detail: { name, sha } });
  return true;
}
