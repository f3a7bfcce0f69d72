import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import type { Row } from "../../platform/database/schema.ts";

/** As many as a person has; the oldest goes when there is another one. */
const CONVERSATIONS_MAX = 50;

/** A person in a team, who has the conversation. */
export interface Owner {
  userId: string;
  teamId: string;
}

const COLUMNS = ["id", "title", "created_at", "updated_at"] as const;

export type ConversationRow = Row<"conversations", (typeof COLUMNS)[number]>;

/** Counts for the person wait until the transaction has ended. */
export async function lockPerson(tx: Db, userId: string): Promise<void> {
  await tx.selectFrom("users").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
}

/** Makes one. Those that are too many then are gone, the longest unused first. */
export async function insertConversation(tx: Db, id: string, { userId, teamId }: Owner): Promise<ConversationRow> {
  // One at a time for each person, so that none is counted twice.
  await lockPerson(tx, userId);
  const row = await tx
    .insertInto("conversations")
    .values({ id, user_id: userId, team_id: teamId })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  const tooMany = tx
    .selectFrom("conversations")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("updated_at", "desc")
    .orderBy("id", "desc")
    .offset(CONVERSATIONS_MAX);
  await tx.deleteFrom("conversations").where("id", "in", tooMany).execute();
  return row;
}

/** The newest first. */
export async function readConversations(db: Db, owner: Owner): Promise<ConversationRow[]> {
  return selectOwn(db, owner).orderBy("updated_at", "desc").orderBy("id", "desc").execute();
}

export async function readConversation(db: Db, owner: Owner, id: string): Promise<ConversationRow | undefined> {
  return selectOwn(db, owner).where("id", "=", id).executeTakeFirst();
}

/** Additions to it wait until the transaction has ended. */
export async function lockConversation(tx: Db, owner: Owner, id: string): Promise<ConversationRow | undefined> {
  return selectOwn(tx, owner).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}

function selectOwn(db: Db, { userId, teamId }: Owner) {
  return db.selectFrom("conversations").select(COLUMNS).where("user_id", "=", userId).where("team_id", "=", teamId);
}

/** @param title is kept when it has one already */
export async function touchConversation(tx: Db, id: string, title: string): Promise<void> {
  await tx
    .updateTable("conversations")
    .set({ updated_at: sql<Date>`now()`, title: sql<string>`case when title = '' then ${title} else title end` })
    .where("id", "=", id)
    .execute();
}

/** Returns whether there was one. */
export async function deleteConversation(db: Db, owner: Owner, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("conversations")
    .where("id", "=", id)
    .where("user_id", "=", owner.userId)
    .where("team_id", "=", owner.teamId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
