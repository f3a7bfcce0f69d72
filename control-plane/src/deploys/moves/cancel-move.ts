import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../../apps/app.ts";
import { lockAppOfOwner } from "../../apps/find-app.ts";
import { insertAudit, type Acting } from "../../platform/audit.store.ts";
import type { Db } from "../../platform/database/database.ts";
import { requestCancel } from "../deploy-end.store.ts";
import { lockDeploy, readOpenDeployId } from "../deploys.store.ts";
import { hasSwitched } from "./moves.store.ts";

/**
 * Gives up the app's move: what it did is taken back, and the app goes on where it was. Asking again meanwhile changes nothing.
 * @throws SvcError not_found; deploy_finished when no move runs, or it has switched; insufficient_role for an owner where an operator
 * has begun it
 */
export async function cancelMove(
  tx: Db,
  app: Pick<AppRow, "id" | "owner_id" | "name">,
  { by, isOperator = false }: { by: Acting; isOperator?: boolean },
): Promise<void> {
  const { owner_id: ownerId } = await lockAppOfOwner(tx, app);
  const id = await readOpenDeployId(tx, app.id);
  const open = id === undefined ? undefined : await lockDeploy(tx, id);
  if (id === undefined || open?.kind !== "move") {
    throw new SvcError("deploy_finished", `The app ${app.name} does not move now.`);
  }
  if (open.is_operators && !isOperator) {
    throw new SvcError(
      "insufficient_role",
      `An operator moves ${app.name} to another server, so only an operator can give the move up. It goes on as it was.`,
    );
  }
  await requireNotSwitched(tx, { id, appName: app.name });
  if (!(await requestCancel(tx, id))) return;
  await insertAudit(tx, { ...by, action: "move.cancel", target: `app:${app.id}`, ownerId, detail: { name: app.name } });
}

/** The caller holds the row of the move. @throws SvcError deploy_finished */
export async function requireNotSwitched(tx: Db, move: { id: string; appName: string }): Promise<void> {
  if (!(await hasSwitched(tx, move.id))) return;
  throw new SvcError(
    "deploy_finished",
    `The other server serves ${move.appName} by now, or is about to, so the move is not taken back any more. ` +
      "Move the app back once it has ended.",
  );
}
