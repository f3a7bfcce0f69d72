import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

/** The most of a person in a day (UTC): a day's work of words, and what some dozen deep questions cost. */
export const MESSAGES_A_DAY_MAX = 200;
export const TOKENS_A_DAY_MAX = 300_000;

const TODAY = sql`(now() at time zone 'utc')::date`;

/** Counts a message. Returns false, and counts nothing, when the day has had as many as it may. */
export async function takeMessage(tx: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into chat_use as u (user_id, day, messages, tokens) values (${userId}, ${TODAY}, 1, 0)
    on conflict (user_id) do update set
      day = excluded.day,
      messages = case when u.day = excluded.day then u.messages else 0 end + 1,
      tokens = case when u.day = excluded.day then u.tokens else 0 end
    where u.day <> excluded.day or u.messages < ${MESSAGES_A_DAY_MAX}
    returning u.user_id
  `.execute(tx);
  return rows.length === 1;
}

/** Counts tokens before they are used, so that processes agree. Returns false, and counts nothing, when they are too many. */
export async function takeTokens(db: Db, userId: string, tokens: number): Promise<boolean> {
  if (tokens > TOKENS_A_DAY_MAX) return false;
  const { rows } = await sql`
    insert into chat_use as u (user_id, day, messages, tokens) values (${userId}, ${TODAY}, 0, ${tokens})
    on conflict (user_id) do update set
      day = excluded.day,
      messages = case when u.day = excluded.day then u.messages else 0 end,
      tokens = case when u.day = excluded.day then u.tokens else 0 end + ${tokens}
    where u.day <> excluded.day or u.tokens + ${tokens} <= ${TOKENS_A_DAY_MAX}
    returning u.user_id
  `.execute(db);
  return rows.length === 1;
}

/** Corrects what was taken by what was used. */
export async function settleTokens(db: Db, userId: string, difference: number): Promise<void> {
  await sql`
    update chat_use set tokens = greatest(0, tokens + ${difference}) where user_id = ${userId} and day = ${TODAY}
  `.execute(db);
}

export interface UseLeft {
  messages: number;
  tokens: number;
  /** The next day's beginning. */
  resetsAt: Date;
}

export async function readUseLeft(db: Db, userId: string): Promise<UseLeft> {
  const { rows } = await sql<{ messages: number; tokens: number; resetsAt: Date }>`
    select coalesce(u.messages, 0) as messages, coalesce(u.tokens, 0) as tokens,
      (${TODAY} + 1)::timestamp at time zone 'utc' as "resetsAt"
    from (select 1) one left join chat_use u on u.user_id = ${userId} and u.day = ${TODAY}
  `.execute(db);
  const { messages, tokens, resetsAt } = rows[0]!;
  return {
    messages: Math.max(0, MESSAGES_A_DAY_MAX - messages),
    tokens: Math.max(0, TOKENS_A_DAY_MAX - tokens),
    resetsAt,
  };
}
