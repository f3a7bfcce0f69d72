import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import { storableJson } from "../../platform/storable-text.ts";
import type { StoredPart } from "./part.ts";

/** A process that has not renewed an answer for so long has died, or has lost the database: others go on without it. */
const LEASE_SECONDS = 15;
/** A renewal may fail twice before the answer counts as broken. */
export const RENEW_MS = 5_000;

/** The conversation's, the oldest first. */
export async function readMessages(db: Db, conversationId: string) {
  return db
    .selectFrom("conversation_messages")
    .select(["id", "role", "parts", "created_at"])
    .select([
      sql<boolean>`coalesce(open_until > now(), false)`.as("is_open"),
      sql<boolean>`coalesce(open_until <= now(), false)`.as("is_broken"),
    ])
    .where("conversation_id", "=", conversationId)
    .orderBy("seq")
    .execute();
}

/** Open is what a process writes that has said so within the lease; broken is what it has not ended when its lease is over. */
export type MessageRow = Awaited<ReturnType<typeof readMessages>>[number];

export async function readFullness(tx: Db, conversationId: string) {
  return tx
    .selectFrom("conversation_messages")
    .select([
      sql<number>`count(*)::integer`.as("messages"),
      sql<boolean>`coalesce(bool_or(open_until > now()), false)`.as("isOpen"),
    ])
    .where("conversation_id", "=", conversationId)
    .executeTakeFirstOrThrow();
}

/** Answers to the person that are being written, in all conversations. */
export async function countOpenAnswers(tx: Db, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom("conversation_messages as m")
    .innerJoin("conversations as c", "c.id", "m.conversation_id")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("c.user_id", "=", userId)
    .where("m.open_until", ">", sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  return count;
}

interface PersonsMessage {
  id: string;
  conversationId: string;
  parts: readonly StoredPart[];
  hiddenValues: Buffer | null;
}

export async function insertPersonsMessage(tx: Db, message: PersonsMessage): Promise<void> {
  await tx
    .insertInto("conversation_messages")
    .values({
      id: message.id,
      conversation_id: message.conversationId,
      role: "person",
      parts: storableJson(message.parts),
      hidden_values: message.hiddenValues,
      open_until: null,
    })
    .execute();
}

const LEASE_END = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** Begins an answer, which is open as long as it is renewed. */
export async function insertAnswer(tx: Db, id: string, conversationId: string): Promise<void> {
  await tx
    .insertInto("conversation_messages")
    .values({
      id,
      conversation_id: conversationId,
      role: "assistant",
      parts: "[]",
      hidden_values: null,
      open_until: LEASE_END,
    })
    .execute();
}

/** Says that an answer is still being written; does nothing once it has ended. */
export async function renewAnswer(db: Db, id: string): Promise<void> {
  await db
    .updateTable("conversation_messages")
    .set({ open_until: LEASE_END })
    .where("id", "=", id)
    .where("open_until", "is not", null)
    .execute();
}

/** Writes what has come of an answer so far; does nothing once it has ended, or its conversation is gone. */
export async function saveAnswer(
  db: Db,
  id: string,
  { parts, isEnded }: { parts: readonly StoredPart[]; isEnded: boolean },
): Promise<void> {
  await db
    .updateTable("conversation_messages")
    .set({ parts: storableJson(parts), ...(isEnded && { open_until: null }) })
    .where("id", "=", id)
    .where("open_until", "is not", null)
    .execute();
}

/** Reads the sealed values that the placeholders of the conversation stand for, by message. */
export async function readHiddenValues(db: Db, conversationId: string): Promise<{ id: string; sealed: Buffer }[]> {
  return db
    .selectFrom("conversation_messages")
    .select(["id", "hidden_values as sealed"])
    .where("conversation_id", "=", conversationId)
    .where("hidden_values", "is not", null)
    .$narrowType<{ sealed: Buffer }>()
    .orderBy("seq")
    .execute();
}
