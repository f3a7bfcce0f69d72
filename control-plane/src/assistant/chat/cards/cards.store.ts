import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";
import { storableJson } from "../../../platform/storable-text.ts";
import type { StoredCard } from "./card.ts";
import type { Owner } from "../conversations.store.ts";

export interface CardRow extends StoredCard {
  /** Sealed. */
  content: Buffer;
}

const COLUMNS = [
  "id",
  "conversation_id as conversationId",
  "content",
  "state",
  "expires_at as expiresAt",
  "results",
  // Its answer begins in the transaction that decides it: of all that are open, it alone is not younger.
  sql<boolean>`exists (
    select from conversation_messages m
    where m.conversation_id = cards.conversation_id and m.created_at <= cards.decided_at and m.open_until > now()
  )`.as("isBeingDone"),
] as const;

export async function insertCard(
  tx: Db,
  card: Pick<CardRow, "id" | "conversationId" | "content" | "expiresAt">,
): Promise<CardRow> {
  return tx
    .insertInto("cards")
    .values({
      id: card.id,
      conversation_id: card.conversationId,
      content: card.content,
      expires_at: card.expiresAt,
      decided_at: null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function readCards(db: Db, conversationId: string): Promise<CardRow[]> {
  return db.selectFrom("cards").select(COLUMNS).where("conversation_id", "=", conversationId).execute();
}

/** The card in this conversation of the person's. */
export async function readCard(db: Db, owner: Owner, conversationId: string, id: string): Promise<CardRow | undefined> {
  return db
    .selectFrom("cards")
    .select(COLUMNS)
    .where("id", "=", id)
    .where("conversation_id", "=", conversationId)
    .where((where) =>
      where.exists(
        where
          .selectFrom("conversations as c")
          .select("c.id")
          .whereRef("c.id", "=", "cards.conversation_id")
          .where("c.user_id", "=", owner.userId)
          .where("c.team_id", "=", owner.teamId),
      ),
    )
    .executeTakeFirst();
}

/** Decides a card that nobody has decided yet, in time; of several at once one does. Returns whether this one did. */
export async function decideCardOnce(tx: Db, id: string, state: "running" | "left", now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("cards")
    .set({ state, decided_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where("state", "=", "proposed")
    .where("expires_at", ">", now)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends a card that runs. */
export async function endCard(
  db: Db,
  id: string,
  { state, results }: Pick<StoredCard, "results"> & { state: "done" | "failed" },
): Promise<void> {
  await db
    .updateTable("cards")
    .set({ state, results: storableJson(results) })
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}
