import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { readTeamOfAnybody } from "../accounts/teams/find-team.ts";
import { findAppOfAnybody } from "../apps/find-app.ts";
import { requireServer } from "../fleet/require-server.ts";
import { isServerName } from "../fleet/server.ts";
import type { Db } from "../platform/database/database.ts";
import type { Subject } from "../platform/http/route.ts";

/** The server that a path names as {name}. */
export const namedServer = ofPlatform(async (db, { name = "" }) => {
  // PostgreSQL can't even be asked for some texts.
  if (!isServerName(name)) throw new SvcError("not_found", "There is no server of that name.");
  return (await requireServer(db, name)).name;
});

/** The app that a path names as {name}, whichever team's. */
export const anyApp = ofPlatform(async (db, { name = "" }) => {
  const found = await findAppOfAnybody(db, name);
  if (!found) throw new SvcError("not_found", "There is no app of that name.");
  return found;
});

/** The team that a path names as {team}, whoever is in it. */
export const anyTeam = ofPlatform(async (db, { team = "" }) => {
  const found = isId(team) ? await readTeamOfAnybody(db, team) : undefined;
  if (!found) throw new SvcError("not_found", "There is no team with that id.");
  return found;
});

/** Subjects that no team owns: whether the caller is an operator was asked before. */
function ofPlatform<Row>(find: (db: Db, params: Readonly<Record<string, string>>) => Promise<Row>): Subject<Row> {
  return {
    find: ({ db }, params) => find(db, params),
    requirePermission: async () => undefined,
    findInTeams: async () => undefined,
  };
}
