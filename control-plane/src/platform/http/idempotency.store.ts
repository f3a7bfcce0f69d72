import { sql } from "kysely";
import type { Db } from "../database/database.ts";

/** The scope in which a key counts. */
export interface IdempotencyScope {
  userId: string;
  method: string;
  path: string;
  key: string;
}

export interface StoredResponse {
  bodyHash: Buffer;
  /** Is undefined while the original runs. */
  response: { status: number; body: string } | undefined;
}

/**
 * Makes this request the original of its key. A key is free when it is new or older than 24 hours, or when its original
 * has neither answered nor released it for 5 minutes: then the process died, and only the same body may try again.
 * @returns whether it is the original now
 */
export async function claimKey(db: Db, scope: IdempotencyScope, bodyHash: Buffer, claimId: string): Promise<boolean> {
  const row = await db
    .insertInto("idempotency_keys")
    .values({
      user_id: scope.userId,
      method: scope.method,
      path: scope.path,
      key: scope.key,
      body_hash: bodyHash,
      response_status: null,
      response_body: null,
      claim_id: claimId,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "method", "path", "key"])
        .doUpdateSet({
          body_hash: bodyHash,
          response_status: null,
          response_body: null,
          claim_id: claimId,
          claimed_at: sql`now()`,
        })
        .where(sql<boolean>`(${isExpired} or ${isAbandoned(bodyHash)})`),
    )
    .returning("claim_id")
    .executeTakeFirst();
  return row !== undefined;
}

const isExpired = sql<boolean>`idempotency_keys.claimed_at < now() - interval '24 hours'`;

function isAbandoned(bodyHash: Buffer) {
  return sql<boolean>`(idempotency_keys.response_status is null
    and idempotency_keys.claimed_at < now() - interval '5 minutes'
    and idempotency_keys.body_hash = ${bodyHash})`;
}

export async function readStoredResponse(db: Db, scope: IdempotencyScope): Promise<StoredResponse | undefined> {
  const row = await db
    .selectFrom("idempotency_keys")
    .select(["body_hash", "response_status", "response_body"])
    .where("user_id", "=", scope.userId)
    .where("method", "=", scope.method)
    .where("path", "=", scope.path)
    .where("key", "=", scope.key)
    .executeTakeFirst();
  if (!row) return undefined;
  const response =
    row.response_status === null ? undefined : { status: row.response_status, body: row.response_body ?? "" };
  return { bodyHash: row.body_hash, response };
}

/** Whether this claim still stood: another request may have taken the key after 5 minutes. */
export async function storeResponse(
  db: Db,
  claimId: string,
  scope: IdempotencyScope,
  response: { status: number; body: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("idempotency_keys")
    .set({ response_status: response.status, response_body: response.body })
    .where("user_id", "=", scope.userId)
    .where("method", "=", scope.method)
    .where("path", "=", scope.path)
    .where("key", "=", scope.key)
    .where("claim_id", "=", claimId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The next request with the key is an original again; an answer that is stored stays. */
export async function releaseKey(db: Db, claimId: string, scope: IdempotencyScope): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("user_id", "=", scope.userId)
    .where("method", "=", scope.method)
    .where("path", "=", scope.path)
    .where("key", "=", scope.key)
    .where("claim_id", "=", claimId)
    .where("response_status", "is", null)
    .execute();
}

/** Removes in batches, so that a long backlog locks nothing for long. Returns how many were removed. */
export async function deleteExpiredKeys(db: Db, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_keys")
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple("user_id", "method", "path", "key"),
        "in",
        selectFrom("idempotency_keys")
          .select(["user_id", "method", "path", "key"])
          .where(isExpired)
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .$asTuple("user_id", "method", "path", "key"),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
