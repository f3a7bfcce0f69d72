import type { Command } from "commander";
import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { changeTier } from "../accounts/change-tier.ts";
import { givePools } from "../accounts/teams/give-pools.ts";
import { lockTeam, readSharedTeams, type TeamRow } from "../accounts/teams/teams.store.ts";
import type { Tiers } from "../accounts/tier.ts";
import { byCommand } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
import { commaSeparated } from "./comma-separated.ts";
import type { AccountCommandDeps } from "./user-commands.ts";

/** `team list|tier|pools`. A personal team has its person's tier: see `user tier`. */
export function registerTeamCommands(program: Command, deps: AccountCommandDeps): void {
  const team = program.command("team").description("teams of several people");

  team
    .command("list")
    .description("all teams, but for the personal ones")
    .action(async () => {
      const teams = (await deps.withDatabase(readSharedTeams)).map(teamView);
      const rows = teams.map(({ name, tier, created_at, id }) => [name, tier, created_at, id]);
      deps.print(teams, textTable([["NAME", "TIER", "CREATED", "ID"], ...rows]));
    });

  team
    .command("tier")
    .description("move the team to another tier")
    .requiredOption("--team <id>", "id of the team")
    .requiredOption("--tier <tier>", `one of ${Object.keys(deps.tiers).join(", ")}`)
    .action(async ({ team: id, tier }: { team: string; tier: string }) => {
      const row = await deps.withDatabase((db) => inTransaction(db, (tx) => moveToTier(tx, deps.tiers, id, tier)));
      deps.print(teamView(row), `${row.name} is on tier ${tier}.`);
    });

  team
    .command("pools")
    .description(
      "give the team pools of servers, in place of those before; `default` lets it name the servers of that pool",
    )
    .requiredOption("--team <id>", "id of the team; of a personal one, that of its person")
    .requiredOption("--pools <list>", "comma separated; empty for none", commaSeparated)
    .action(async ({ team: teamId, pools }: { team: string; pools: string[] }) => {
      const given = await deps.withDatabase((db) =>
        inTransaction(db, (tx) => givePools(tx, byCommand, { teamId, pools })),
      );
      const names = given.pools.length === 0 ? "no pool beside default" : given.pools.join(", ");
      deps.print({ ...teamView(given), pools: given.pools }, `${given.name} has ${names}.`);
    });
}

async function moveToTier(tx: Db, tiers: Tiers, id: string, tier: string): Promise<TeamRow> {
  const team = isId(id) ? await lockTeam(tx, id) : undefined;
  if (!team) throw new SvcError("not_found", `There is no team with the id ${quoted(id)}: see \`team list\`.`);
  if (team.user_id !== null) throw invalid("A personal team has its person's tier: use `user tier`.");
  return changeTier(tx, byCommand, tiers, { teamId: id, tier });
}

function teamView({ id, name, tier, created_at }: TeamRow) {
  return { id, name, tier, created_at: created_at.toISOString() };
}
