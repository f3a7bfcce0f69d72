import type { Command } from "commander";
import { SvcError } from "@svc/shared/errors.ts";
import { isId, newId } from "@svc/shared/rules/ids.ts";
import { insertApiKey, readApiKeys, revokeApiKey, type ApiKeyRow } from "../accounts/api-keys.store.ts";
import { readMemberships } from "../accounts/teams/read-memberships.ts";
import type { UserRow } from "../accounts/users.store.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { apiKeyPrefix, hashApiKey, makeApiKey } from "../accounts/api-key.ts";
import { isAppName } from "@svc/shared/rules/app-name.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { isScope, SCOPES } from "../platform/scope.ts";
import { textTable } from "./text-table.ts";
import { requireUser, type AccountCommandDeps } from "./user-commands.ts";

interface CreateOptions {
  email: string;
  name: string;
  team?: string;
  scopes?: string;
  apps?: string;
}

/** `key create|list|revoke`. */
export function registerKeyCommands(program: Command, deps: AccountCommandDeps): void {
  const key = program.command("key").description("API keys");

  key
    .command("create")
    .description("make a key; its value is shown this once")
    .requiredOption("--email <address>", "whose key it is")
    .option("--name <name>", "to tell keys apart by", "admin")
    .option("--scopes <list>", `comma separated, of ${SCOPES.join(", ")} (default: all, unscoped)`)
    .option("--team <id>", "the team that it acts in (default: the personal one)")
    .option("--apps <list>", "names of apps, comma separated (default: all)")
    .action(async (options: CreateOptions) => {
      const value = makeApiKey();
      const row = await createKey(deps, value, options);
      deps.print({ ...keyView(row), key: value }, `${value}\n\nThis is the only time that the key is shown.`);
    });

  key
    .command("list")
    .description("keys, without their values")
    .option("--email <address>", "only this user's")
    .action(async (filter: { email?: string }) => {
      const rows = await deps.withDatabase((db) => readApiKeys(db, filter));
      const keys = rows.map((row) => Object.assign(keyView(row), { email: row.email }));
      const cells = keys.map((item) => [
        item.prefix,
        item.name,
        item.email,
        item.scopes?.join(",") ?? "all",
        item.revoked_at === null ? "active" : "revoked",
        item.last_used_at ?? "never",
        item.id,
      ]);
      deps.print(keys, textTable([["PREFIX", "NAME", "EMAIL", "SCOPES", "STATE", "LAST USED", "ID"], ...cells]));
    });

  key
    .command("revoke <id>")
    .description("refuse the key from now on")
    .action(async (id: string) => {
      const row = await revoke(deps, id);
      deps.print(keyView(row), `The key ${row.prefix}… is revoked.`);
    });
}

function createKey(deps: AccountCommandDeps, value: string, options: CreateOptions): Promise<ApiKeyRow> {
  const scopes = parseList(options.scopes, isScope, `a scope; use some of ${SCOPES.join(", ")}`);
  const apps = parseList(options.apps, isAppName, "the name of an app");
  return deps.withDatabase((db) =>
    inTransaction(db, async (tx) => {
      const user = await requireUser(tx, options.email);
      const row = await insertApiKey(tx, {
        id: newId(),
        userId: user.id,
        teamId: await requireTeamOf(tx, user, options.team),
        name: options.name,
        prefix: apiKeyPrefix(value),
        hash: hashApiKey(value),
        scopes,
        apps,
        expiresAt: null,
      });
      const detail = { user_id: user.id, team_id: row.team_id, scopes, apps };
      await insertAudit(tx, {
        actor: "operator",
        action: "key.create",
        target: `key:${row.id}`,
        requestId: null,
        detail,
      });
      return row;
    }),
  );
}

/** @throws SvcError not_found when the user is not in the team */
async function requireTeamOf(tx: Db, user: UserRow, team: string | undefined): Promise<string> {
  if (team === undefined) return user.id;
  const memberships = await readMemberships(tx, user.id);
  if (memberships.some(({ teamId }) => teamId === team)) return team;
  throw new SvcError("not_found", `${user.email} is in no team with the id ${quoted(team)}: see \`team list\`.`);
}

function revoke(deps: AccountCommandDeps, id: string): Promise<ApiKeyRow> {
  return deps.withDatabase((db) =>
    inTransaction(db, async (tx) => {
      const row = isId(id) ? await revokeApiKey(tx, id) : undefined;
      if (!row) throw new SvcError("not_found", `There is no key with the id ${quoted(id)}: see \`key list\`.`);
      await insertAudit(tx, { actor: "operator", action: "key.revoke", target: `key:${id}`, requestId: null });
      return row;
    }),
  );
}

function parseList(text: string | undefined, fits: (item: string) => boolean, allowed: string): string[] | null {
  if (text === undefined) return null;
  const items = text.split(",").map((item) => item.trim());
  const wrong = items.find((item) => !fits(item));
  if (wrong !== undefined) throw invalid(`${quoted(wrong)} is not ${allowed}.`);
  return [...new Set(items)];
}

/** A key as the commands show it, without its hash. */
function keyView(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    team_id: row.team_id,
    scopes: row.scopes,
    apps: row.apps,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
