import { sql } from "kysely";
import type { Db } from "../platform/database/database.ts";
import type { Row } from "../platform/database/schema.ts";

const COLUMNS = ["id", "email", "tier", "email_verified_at", "is_operator", "created_at"] as const;

export type UserRow = Row<"users", (typeof COLUMNS)[number]>;

/** Is undefined when somebody has the address already. */
export async function insertUser(
  db: Db,
  user: { id: string; email: string; tier: string; emailVerifiedAt: Date | null },
): Promise<UserRow | undefined> {
  return db
    .insertInto("users")
    .values({ id: user.id, email: user.email, tier: user.tier, email_verified_at: user.emailVerifiedAt })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export async function readUser(db: Db, id: string): Promise<UserRow> {
  return db.selectFrom("users").select(COLUMNS).where("id", "=", id).executeTakeFirstOrThrow();
}

export async function readUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom("users")
    .select(COLUMNS)
    .where(sql<string>`lower(email)`, "=", email.toLowerCase())
    .executeTakeFirst();
}

/** All users, and whether each has a way to sign in, as whoever was only made by an operator has not. */
export async function readUsers(db: Db): Promise<(UserRow & { can_sign_in: boolean })[]> {
  return db
    .selectFrom("users as u")
    .select(COLUMNS)
    .select(sql<boolean>`exists (select from accounts a where a.user_id = u.id)`.as("can_sign_in"))
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
}

/** Keeps the time of the first verification. */
export async function markEmailVerified(db: Db, userId: string): Promise<UserRow> {
  return db
    .updateTable("users")
    .set({ email_verified_at: sql<Date>`coalesce(email_verified_at, now())` })
    .where("id", "=", userId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function updateTier(db: Db, userId: string, tier: string): Promise<UserRow> {
  return db.updateTable("users").set({ tier }).where("id", "=", userId).returning(COLUMNS).executeTakeFirstOrThrow();
}

export async function isOperator(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .select("is_operator")
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.is_operator ?? false;
}

export async function updateIsOperator(db: Db, userId: string, isOperator: boolean): Promise<UserRow> {
  return db
    .updateTable("users")
    .set({ is_operator: isOperator })
    .where("id", "=", userId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
