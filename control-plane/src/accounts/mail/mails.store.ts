import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import type { MailKind } from "./mail-text.ts";

/** A mail in the hands of a worker. */
export interface ClaimedMail {
  id: string;
  recipient: string;
  kind: MailKind;
  /** Is sealed. */
  body: Buffer;
  created_at: Date;
  /** Attempts that were begun, with this one. */
  attempts: number;
  /** Time since it was queued. Milliseconds. */
  age_ms: number;
}

/** Due at once; workers hear of it when the transaction commits. */
export async function insertMail(
  tx: Db,
  mail: { id: string; recipient: string; kind: MailKind; body: Buffer },
): Promise<void> {
  await tx
    .insertInto("mails")
    .values({ ...mail, next_attempt_at: sql<Date>`now()` })
    .execute();
  await sql`select pg_notify('mails', '')`.execute(tx);
}

/**
 * Takes the mail that has been due for longest, passing over those that another worker holds. A claim that is not followed
 * by a record ends by itself, and the mail is sent again.
 * @param claimMs how long the claim stands. Milliseconds.
 */
export async function claimMail(db: Db, claimMs: number): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<ClaimedMail>`
    update mails
    set claimed_until = now() + ${claimMs} * interval '1 millisecond', attempts = attempts + 1
    where id = (
      select id from mails
      where next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())
      order by next_attempt_at, id
      limit 1
      for update skip locked
    )
    returning id, recipient, kind, body, created_at, attempts,
      (extract(epoch from now() - created_at) * 1000)::float8 as age_ms
  `.execute(db);
  return rows[0];
}

/** Holds also when another worker has claimed the mail meanwhile: it was sent. */
export async function recordSent(db: Db, mail: ClaimedMail): Promise<void> {
  await db
    .updateTable("mails")
    .set({ sent_at: sql<Date>`now()`, body: null, next_attempt_at: null, claimed_until: null, last_error: null })
    .where("id", "=", mail.id)
    .where("next_attempt_at", "is not", null)
    .execute();
}

/** @param reason a sentence without secrets @param delayMs until the next attempt. Milliseconds. */
export async function recordRetry(db: Db, mail: ClaimedMail, reason: string, delayMs: number): Promise<void> {
  await updateClaimed(db, mail)
    .set({
      next_attempt_at: sql<Date>`now() + ${delayMs} * interval '1 millisecond'`,
      claimed_until: null,
      last_error: reason,
    })
    .execute();
}

/** @param reason a sentence without secrets */
export async function recordGivenUp(db: Db, mail: ClaimedMail, reason: string): Promise<void> {
  await updateClaimed(db, mail)
    .set({
      given_up_at: sql<Date>`now()`,
      body: null,
      next_attempt_at: null,
      claimed_until: null,
      last_error: reason,
    })
    .execute();
}

/** Gives a mail that was not sent to the worker that claims next, as if there had been no attempt. */
export async function endClaim(db: Db, mail: ClaimedMail): Promise<void> {
  await updateClaimed(db, mail)
    .set({ claimed_until: null, attempts: mail.attempts - 1 })
    .execute();
}

/** A worker whose claim has ended changes nothing of the one that followed. */
function updateClaimed(db: Db, mail: ClaimedMail) {
  return db
    .updateTable("mails")
    .where("id", "=", mail.id)
    .where("attempts", "=", mail.attempts)
    .where("next_attempt_at", "is not", null);
}

/**
 * Deletes mails that were sent or given up, by the time when they were queued.
 * @param keptMs how long they are kept. Milliseconds.
 * @param limit rows at most
 * @returns how many were deleted
 */
export async function deleteOldMails(db: Db, keptMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from mails where id in (
      select id from mails
      where next_attempt_at is null and created_at < now() - ${keptMs} * interval '1 millisecond'
      order by created_at
      limit ${limit}
      for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}
