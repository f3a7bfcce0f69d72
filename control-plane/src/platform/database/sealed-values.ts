import { sql, type RawBuilder, type SqlBool } from "kysely";
import { sealContext } from "../../ports.ts";
import type { Db } from "./database.ts";

/** Where sealed values are. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Columns that name a row. */
  keys: readonly string[];
  /** The filter for tables that hold other things too. */
  only?: RawBuilder<SqlBool>;
  /** Returns what the value belongs to, from the values of `keys`. */
  contextOf(...keys: string[]): string;
}

/** Every column that a KeyRing seals, but for the canary of the master key: one that is missing here is lost with its key. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "env_vars", column: "value", keys: ["app_id", "key"], contextOf: sealContext.env },
  { table: "app_databases", column: "password", keys: ["app_id"], contextOf: sealContext.databasePassword },
  { table: "app_databases", column: "url", keys: ["app_id"], contextOf: sealContext.databaseUrl },
  { table: "releases", column: "env", keys: ["deploy_id"], contextOf: sealContext.releaseEnv },
  { table: "deploys", column: "inputs", keys: ["id"], contextOf: sealContext.deployInputs },
  { table: "deploy_keys", column: "private_key", keys: ["app_id"], contextOf: sealContext.deployKey },
  { table: "webhooks", column: "secret", keys: ["id"], contextOf: sealContext.webhookSecret },
  { table: "mails", column: "body", keys: ["id"], contextOf: sealContext.mailBody },
  {
    table: "installation",
    column: "value",
    keys: ["name"],
    only: sql<SqlBool>`name = 'git-token-key'`,
    contextOf: sealContext.gitTokenKey,
  },
  {
    table: "installation",
    column: "value",
    keys: ["name"],
    only: sql<SqlBool>`name = 'session-secret'`,
    contextOf: sealContext.sessionSecret,
  },
  {
    table: "installation",
    column: "value",
    keys: ["name"],
    only: sql<SqlBool>`name = 'card-key'`,
    contextOf: sealContext.cardKey,
  },
  { table: "two_factors", column: "secret", keys: ["user_id"], contextOf: sealContext.secondFactor },
  { table: "cards", column: "content", keys: ["id"], contextOf: sealContext.card },
  {
    table: "conversation_messages",
    column: "hidden_values",
    keys: ["id"],
    contextOf: sealContext.conversationValues,
  },
];

/** The key's id is what a sealed value begins with. */
const KEY_ID_BYTES = 4;

export interface SealedValue {
  keys: string[];
  sealed: Buffer;
}

/** Reads at most `limit` values that another key than this one has sealed. */
export async function readValuesOfOtherKeys(
  db: Db,
  place: SealedColumn,
  keyId: string,
  limit: number,
): Promise<SealedValue[]> {
  const { column, keys, table, only = sql<SqlBool>`true` } = place;
  const names = sql.join(keys.map((key) => sql`${sql.ref(key)}::text`));
  const { rows } = await sql<SealedValue>`
    select array[${names}] as keys, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where substring(${sql.ref(column)} from 1 for ${sql.lit(KEY_ID_BYTES)}) <> ${Buffer.from(keyId, "hex")} and ${only}
    limit ${limit}
  `.execute(db);
  return rows;
}

/** Leaves a value alone that was written meanwhile. */
export async function replaceSealedValue(
  db: Db,
  { table, column, keys }: SealedColumn,
  value: SealedValue,
  fresh: Buffer,
): Promise<void> {
  const row = keys.map((key, index) => sql`${sql.ref(key)} = ${value.keys[index]}`);
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${fresh}
    where ${sql.join(row, sql` and `)} and ${sql.ref(column)} = ${value.sealed}
  `.execute(db);
}

/** How many values each key has sealed, by the key's id. */
export async function countValuesByKey(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, column, only = sql<SqlBool>`true` } of SEALED_COLUMNS) {
    const { rows } = await sql<{ id: string; count: number }>`
      select encode(substring(${sql.ref(column)} from 1 for ${sql.lit(KEY_ID_BYTES)}), 'hex') as id, count(*)::integer as count
      from ${sql.table(table)} where ${sql.ref(column)} is not null and ${only} group by 1
    `.execute(db);
    for (const { id, count } of rows) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}
