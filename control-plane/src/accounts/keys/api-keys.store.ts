import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import type { Row } from "../../platform/database/schema.ts";

const COLUMNS = [
  "id",
  "user_id",
  "team_id",
  "name",
  "prefix",
  "scopes",
  "apps",
  "created_at",
  "last_used_at",
  "expires_at",
  "revoked_at",
] as const;

export type ApiKeyRow = Row<"api_keys", (typeof COLUMNS)[number]>;

export async function insertApiKey(
  db: Db,
  key: {
    id: string;
    userId: string;
    teamId: string;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: string[] | null;
    apps: string[] | null;
    expiresAt: Date | null;
  },
): Promise<ApiKeyRow> {
  return db
    .insertInto("api_keys")
    .values({
      id: key.id,
      user_id: key.userId,
      team_id: key.teamId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      scopes: key.scopes,
      apps: key.apps,
      expires_at: key.expiresAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function readApiKeys(db: Db, filter: { email?: string }): Promise<(ApiKeyRow & { email: string })[]> {
  return db
    .selectFrom("api_keys as k")
    .innerJoin("users as u", "u.id", "k.user_id")
    .select(COLUMNS.map((column) => `k.${column}` as const))
    .select("u.email")
    .$if(filter.email !== undefined, (query) =>
      query.where(sql<string>`lower(u.email)`, "=", (filter.email ?? "").toLowerCase()),
    )
    .orderBy("k.id")
    .execute();
}

/** Is undefined when there is no such key; one that was revoked before keeps its time. */
export async function revokeApiKey(db: Db, id: string): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable("api_keys")
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where("id", "=", id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** When a key ended, or will; null when it does not. */
const END = sql<Date | null>`least(revoked_at, expires_at)`;
const HAS_ENDED = sql<boolean>`coalesce(${END} <= now(), false)`;

/** Keys of the person that have not ended. */
export async function countKeys(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom("api_keys")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("user_id", "=", userId)
    .where(sql<boolean>`not ${HAS_ENDED}`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Ends the keys that the person has made in the team. Returns their ids. */
export async function revokeKeysOf(tx: Db, teamId: string, userId: string): Promise<string[]> {
  const rows = await tx
    .updateTable("api_keys")
    .set({ revoked_at: sql<Date>`now()` })
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** As many as a person may have that work. */
const ENDED_SHOWN_MAX = 100;

/** The person's, newest first; of those that have ended only the last ones of 30 days, since any number may be made in turn. */
export async function readKeysOf(db: Db, userId: string): Promise<ApiKeyRow[]> {
  const ended = db
    .selectFrom("api_keys")
    .select("id")
    .where("user_id", "=", userId)
    .where(HAS_ENDED)
    .where(sql<boolean>`${END} > now() - interval '30 days'`)
    .orderBy(END, "desc")
    .orderBy("id", "desc")
    .limit(ENDED_SHOWN_MAX);
  return db
    .selectFrom("api_keys")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .where((where) => where.or([sql<boolean>`not ${HAS_ENDED}`, where("id", "in", ended)]))
    .orderBy("id", "desc")
    .execute();
}

/** Is undefined when the person has no such key; one that was revoked before keeps its time. */
export async function revokeOwnApiKey(db: Db, userId: string, id: string): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable("api_keys")
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Returns how many of the person's worked until now. */
export async function revokeAllKeysOf(tx: Db, userId: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("api_keys")
    .set({ revoked_at: sql<Date>`now()` })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Ids of keys that ended more than 30 days ago and did nothing that the audit log still tells of. */
export async function readEndedKeys(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from api_keys k
    where least(revoked_at, expires_at) < now() - interval '30 days'
      and not exists (select from audit_log where actor = 'key:' || k.id)
    limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns how many there were. */
export async function deleteApiKeys(db: Db, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom("api_keys").where("id", "in", ids).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Reads the owner of a key, provided that the key is valid now: its maker is still in its team. */
export async function readKeyOwner(db: Db, hash: Buffer) {
  const owner = await db
    .selectFrom("api_keys as k")
    .innerJoin("users as u", "u.id", "k.user_id")
    .innerJoin("team_members as m", (join) =>
      join.onRef("m.team_id", "=", "k.team_id").onRef("m.user_id", "=", "k.user_id"),
    )
    .select(["k.id as keyId", "k.user_id as userId", "k.team_id as teamId", "k.scopes", "k.apps", "u.tier"])
    .select([
      // Its maker's in the team.
      "m.role",
      sql<boolean>`u.email_verified_at is not null`.as("emailVerified"),
      // The last use is noted once a minute, not with every request.
      sql<boolean>`k.last_used_at is null or k.last_used_at < now() - interval '1 minute'`.as("lastUseIsOld"),
      sql<number | null>`extract(epoch from k.expires_at - now())::float8 * 1000`.as("expiresInMs"),
    ])
    .where("k.hash", "=", hash)
    .where("k.revoked_at", "is", null)
    .where(sql<boolean>`(k.expires_at is null or k.expires_at > now())`)
    .executeTakeFirst();
  // Infinity when it never ends.
  return owner && { ...owner, expiresInMs: owner.expiresInMs ?? Infinity };
}

export type KeyOwner = NonNullable<Awaited<ReturnType<typeof readKeyOwner>>>;

/** Notes a key's use; of several requests at the same moment one writes. */
export async function touchApiKey(db: Db, id: string): Promise<void> {
  await db
    .updateTable("api_keys")
    .set({ last_used_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where(sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
    .execute();
}
