import type { Command } from "commander";
import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { changeTier } from "../accounts/change-tier.ts";
import { lockTeam, readSharedTeams, type TeamRow } from "../accounts/teams/teams.store.ts";
import type { Tiers } from "../accounts/tier.ts";
import { byCommand } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
import type { AccountCommandDeps } from "./user-commands.ts";

/** `team list|tier`. A personal team has its person's tier: see `user tier`. */
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
