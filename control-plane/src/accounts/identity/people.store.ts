import { sql, type InferResult } from "kysely";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../platform/database/database.ts";

/** Of a person's name. */
export const PERSON_NAME_LENGTH_MAX = 100;

/** better-auth's name of the way to sign in with a password. */
const CREDENTIAL = "credential";

/** Those who have deleted their account are nobody, also for whoever has waited for their row. */
function selectPeople(db: Db) {
  return db
    .selectFrom("users as u")
    .leftJoin("accounts as a", (join) => join.onRef("a.user_id", "=", "u.id").on("a.provider_id", "=", CREDENTIAL))
    .select(["u.id", "u.email", "u.name", "u.tier", "a.password as passwordHash"])
    .select([
      sql<boolean>`u.email_verified_at is not null`.as("emailVerified"),
      "u.two_factor_enabled as hasSecondFactor",
      "u.is_operator as isOperator",
    ])
    .where("u.deleted_at", "is", null);
}

/** A user, and how they sign in; `passwordHash` is null while they have no password. */
export type Person = InferResult<ReturnType<typeof selectPeople>>[number];

export async function readPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  return selectPeople(db)
    .where(sql<string>`lower(u.email)`, "=", email.toLowerCase())
    .executeTakeFirst();
}

export async function readPerson(db: Db, id: string): Promise<Person | undefined> {
  return selectPeople(db).where("u.id", "=", id).executeTakeFirst();
}

/**
 * Locks the user's row until the transaction ends. Whatever opens a session or changes a password does so first: a
 * session can't be opened with a password that another request is replacing. Rows that refer to the user may be written
 * meanwhile: whoever does so may hold a team's row, and both would wait for each other.
 */
export async function lockPerson(tx: Db, id: string): Promise<Person | undefined> {
  await tx.selectFrom("users").select("id").where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  // A statement of its own, which sees what the lock has waited for.
  return readPerson(tx, id);
}

/** Whether the person has a password, or a provider that signs them in: somebody who has not joined yet has neither. */
export async function hasWayIn(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom("accounts").select("id").where("user_id", "=", userId).limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function writePassword(tx: Db, userId: string, passwordHash: string): Promise<void> {
  await tx
    .insertInto("accounts")
    .values({ id: newId(), user_id: userId, provider_id: CREDENTIAL, account_id: userId, password: passwordHash })
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "account_id"])
        .doUpdateSet({ password: passwordHash, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Is proven by the link that was mailed there. Rejects with a unique violation of `users_email` when somebody has it. */
export async function writeAddress(tx: Db, userId: string, email: string): Promise<void> {
  await tx
    .updateTable("users")
    .set({ email, email_verified_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
    .where("id", "=", userId)
    .execute();
}

export async function writeName(tx: Db, userId: string, name: string): Promise<void> {
  await tx
    .updateTable("users")
    .set({ name, updated_at: sql<Date>`now()` })
    .where("id", "=", userId)
    .execute();
}

export async function writeHasSecondFactor(tx: Db, userId: string, hasSecondFactor: boolean): Promise<void> {
  await tx
    .updateTable("users")
    .set({ two_factor_enabled: hasSecondFactor, updated_at: sql<Date>`now()` })
    .where("id", "=", userId)
    .execute();
}

/** Whether the person's own team has apps, soft-stopped ones included. */
export async function hasApps(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom("apps").select("id").where("owner_id", "=", userId).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Reads what the person and the assistant have said, in the order of the messages. */
export async function readChatOf(db: Db, userId: string, { after, limit }: { after: string; limit: number }) {
  return db
    .selectFrom("conversation_messages as m")
    .innerJoin("conversations as c", "c.id", "m.conversation_id")
    .select(["m.seq", "m.conversation_id", "c.title", "m.role", "m.created_at", "m.parts"])
    .where("c.user_id", "=", userId)
    .where("m.seq", ">", after)
    .orderBy("m.seq")
    .limit(limit)
    .execute();
}

/** Leaves nothing of the person but the id, which deploys and the audit log refer to. */
export async function erasePerson(tx: Db, userId: string): Promise<void> {
  const tables = [
    "sessions",
    "accounts",
    "two_factors",
    "oidc_attempts",
    "passkeys",
    "passkey_challenges",
    "chat_use",
    "conversations",
  ] as const;
  for (const table of tables) {
    await tx.deleteFrom(table).where("user_id", "=", userId).execute();
  }
  await tx.deleteFrom("verifications").where("value", "=", userId).execute();
  await tx
    .updateTable("users")
    .set({
      // A domain that is nobody's (RFC 2606), so that no mail is ever sent there.
      email: `${userId}@deleted.invalid`,
      email_verified_at: null,
      name: "",
      image: null,
      two_factor_enabled: false,
      is_operator: false,
      updated_at: sql<Date>`now()`,
      deleted_at: sql<Date>`now()`,
    })
    .where("id", "=", userId)
    .execute();
}
