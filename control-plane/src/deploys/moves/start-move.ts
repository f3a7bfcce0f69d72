import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import type { AppRow } from "../../apps/app.ts";
import { lockAppOfOwner } from "../../apps/find-app.ts";
import { forgetRemoval, isRemovalNoted } from "../../apps/removal/note-removal.ts";
import { holdServer } from "../../fleet/hold-server.ts";
import { insertAudit, type Acting } from "../../platform/audit.store.ts";
import type { Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { invalid, quoted } from "../../platform/invalid.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { hasOpenDeploy, insertDeploy } from "../deploys.store.ts";
import { readCandidateRows } from "../placement/placement.store.ts";
import { moveReleaseName } from "../releases/release.ts";
import { isMoveLeft, readLastDeployer } from "./moves.store.ts";

export interface MoveRequest {
  app: Pick<AppRow, "id" | "owner_id" | "name">;
  /** The name of the server that it goes to. */
  to: string;
  by: Acting;
  /** Undefined: the platform moves it by itself. */
  userId?: string | undefined;
  /** The pools whose servers may be named (decision 037); undefined for operators and the platform, who may name any. */
  pools?: readonly string[];
}

/**
 * Writes a move, which runs at once through the pipeline as a deploy of its own kind, beside what else both servers deploy.
 * @returns its id
 * @throws SvcError not_found, invalid_request, deploy_in_progress, agent_away
 */
export async function startMove(
  { links, clock }: Pick<OperationContext, "links" | "clock">,
  tx: Db,
  { app, to, by, userId, pools }: MoveRequest,
): Promise<string> {
  const locked = await lockAppOfOwner(tx, app);
  const from = locked.server_id;
  if (from === null) throw invalid(`The app ${app.name} is on no server yet: its next deploy finds one.`);
  const target = (await readCandidateRows(tx)).find(({ name }) => name === to);
  if (pools && !(target && pools.includes(target.pool))) {
    throw invalid(
      `There is no server ${quoted(to)} that takes new apps and that your team may choose. An operator can have a drained one take them ` +
        "again, or give the team its pool.",
    );
  }
  if (!target) throw invalid(`There is no server ${quoted(to)} that takes new apps.`);
  if (target.id === from) throw invalid(`The app ${app.name} is on ${to} already.`);
  await requireSettled(tx, locked, target);
  const processes = new Set<string | null>();
  // In the order of their ids, so that two moves in opposite directions do not wait for each other.
  for (const id of [from, target.id].toSorted()) {
    const { state, linked, link_process_id: processId } = await holdServer(tx, id);
    if (id === target.id && state !== "active") throw invalid(`There is no server ${quoted(to)} that takes new apps.`);
    if (!linked && links.agent(id) === undefined) throw away(id === from ? `The server of ${app.name}` : to);
    if (linked) processes.add(processId);
  }
  if (processes.size > 1) throw linkedApart(app.name, to);

  const id = newId(clock.now());
  await insertDeploy(tx, {
    id,
    appId: app.id,
    userId: userId ?? (await readLastDeployer(tx, app.id)) ?? locked.owner_id,
    serverId: target.id,
    status: "running",
    ref: null,
    release: moveReleaseName(id),
    targetReleaseId: locked.current_release_id ?? undefined,
    movesFrom: from,
    isOperators: pools === undefined,
    formerAppStatus: locked.status,
  });
  const entry = { ...by, action: "move.start", target: `app:${app.id}`, ownerId: locked.owner_id };
  await insertAudit(tx, { ...entry, detail: { name: app.name, from, to: target.id } });
  await notify(tx, "deploy_queue", target.id);
  return id;
}

/** Nothing of the app goes on, and nothing of it is where it goes to. */
async function requireSettled(tx: Db, app: AppRow, target: { id: string; name: string }): Promise<void> {
  if (await hasOpenDeploy(tx, app.id)) throw inProgress(`A deploy or a move of ${app.name} is running or queued`);
  if (!(await forgetRemovalOfLive(tx, app))) throw inProgress(`The app ${app.name} is being removed from its server`);
  if (await isRemovalNoted(tx, { appId: app.id, serverId: target.id }))
    throw inProgress(`What ${app.name} has left on ${target.name} is still being removed`);
  if (await isMoveLeft(tx, app.id)) throw inProgress(`The last move of ${app.name} is still being taken back`);
}

/** Is false while a soft stop has still to remove something: the move would carry it. */
async function forgetRemovalOfLive(tx: Db, app: AppRow): Promise<boolean> {
  if (app.status !== "soft_stopped") return forgetRemoval(tx, app);
  return !(await isRemovalNoted(tx, { appId: app.id, serverId: app.server_id! }));
}

function inProgress(what: string): SvcError {
  return new SvcError("deploy_in_progress", `${what}: wait until that has ended, then move it.`);
}

/** The process that carries the app calls both agents itself. */
function linkedApart(name: string, to: string): SvcError {
  return new SvcError(
    "agent_away",
    `The agents of ${to} and of the server of ${name} are linked to different processes of the control plane, so nothing was ` +
      "begun: a move needs both on one. Restart one of the agents until both are, or stop the other process, then move the app.",
  );
}

function away(what: string): SvcError {
  return new SvcError(
    "agent_away",
    `${what} has no connected agent now, so nothing was begun. Move the app when it is back.`,
  );
}
