import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import type { Subject } from "../../platform/http/route.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { findTeam, lockTeam, readTeam, type TeamRow } from "./teams.store.ts";

/** The team that a path names as {team}, of those that the caller is in. */
export const namedTeam: Subject<TeamRow> = {
  async find(ctx, { team = "" }) {
    requireWholeTeam(ctx);
    if (!isOwn(ctx, team)) throw noSuchTeam();
    return readTeam(ctx.db, team);
  },
  async requirePermission(ctx) {
    requireWholeTeam(ctx);
  },
  async findInTeams(ctx, { team = "" }) {
    return isOwn(ctx, team) ? { teamId: team, row: await readTeam(ctx.db, team) } : undefined;
  },
};

/** What is limited to some apps learns nothing of the team around them. @throws SvcError insufficient_scope */
function requireWholeTeam({ actor }: OperationContext): void {
  if (actor.apps === null) return;
  throw new SvcError("insufficient_scope", "This API key is limited to some apps. Use a key without that limit.");
}

function isOwn({ actor }: OperationContext, team: string): boolean {
  return isId(team) && actor.teams.some(({ teamId }) => teamId === team);
}

/**
 * Runs the work while nobody else changes the team or who is in it.
 * @throws SvcError not_found when it was deleted meanwhile; what the work throws
 */
export async function changeTeam<T>(
  ctx: OperationContext,
  team: Pick<TeamRow, "id">,
  work: (tx: Db, team: TeamRow) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockTeam(tx, team.id);
    if (!locked) throw noSuchTeam();
    return work(tx, locked);
  });
}

/** Reads a team that the caller need not be in; undefined when there is none, or its account was deleted. */
export const readTeamOfAnybody = findTeam;

/** Lets nobody else change the team, or who is in it, until the transaction ends; also where there is no such team. */
export const holdTeam = lockTeam;

/** The same for an id that no team has, and for a team that the caller is not in. */
function noSuchTeam(): SvcError {
  return new SvcError("not_found", "You are in no team with that id.");
}
