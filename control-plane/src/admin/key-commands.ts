import type { Command } from "commander";
import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { keyView } from "../accounts/keys/key-view.ts";
import { makeKey } from "../accounts/keys/make-key.ts";
import { readApiKeys, revokeApiKey, type ApiKeyRow } from "../accounts/keys/api-keys.store.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction } from "../platform/database/database.ts";
import { quoted } from "../platform/invalid.ts";
import { SCOPES } from "../platform/scope.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
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
      const { value, ...row } = await createKey(deps, options);
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

function createKey(deps: AccountCommandDeps, options: CreateOptions): Promise<ApiKeyRow & { value: string }> {
  const { name, team } = options;
  const [scopes, apps] = [splitList(options.scopes), splitList(options.apps)];
  return deps.withDatabase((db) =>
    inTransaction(db, async (tx) => {
      const { id: userId } = await requireUser(tx, options.email);
      const key = await makeKey(tx, { userId, teamId: team ?? userId, name, scopes, apps, expiresAt: null });
      const detail = { name, user_id: userId, team_id: key.team_id, scopes: key.scopes, apps: key.apps };
      const target = `key:${key.id}`;
      await insertAudit(tx, { actor: "operator", action: "key.create", target, requestId: null, detail });
      return key;
    }),
  );
}

function revoke(deps: AccountCommandDeps, id: string): Promise<ApiKeyRow> {
  return deps.withDatabase((db) =>
    inTransaction(db, async (tx) => {
      const row = isId(id) ? await revokeApiKey(tx, id) : undefined;
      if (!row) throw new SvcError("not_found", `There is no key with the id ${quoted(id)}: see \`key list\`.`);
      const detail = { name: row.name };
      await insertAudit(tx, { actor: "operator", action: "key.revoke", target: `key:${id}`, requestId: null, detail });
      return row;
    }),
  );
}

function splitList(text: string | undefined): string[] | null {
  return text?.split(",").map((item) => item.trim()) ?? null;
}
