import { sql } from "kysely";
import type { Rate, RequestKind } from "./rate.ts";
import type { Db } from "../platform/database/database.ts";

const TABLES = { writes: "write_buckets", reads: "read_buckets" } as const satisfies Record<RequestKind, string>;

/**
 * Takes a token from the user's bucket, by the database's clock: in one statement, so that requests of all processes
 * get one after the other. A bucket below zero has refused the last request: it holds one token more than it says, and
 * lacks as many for the next one as it is below.
 * @param db not the transaction of a write, since one that fails has its price too
 * @returns 0, or how many tokens are missing
 */
export async function takeBucketToken(db: Db, kind: RequestKind, userId: string, rate: Rate): Promise<number> {
  return takeFromBucket(db, { table: TABLES[kind], column: "user_id", key: userId }, rate);
}

/**
 * Takes a token from the bucket of that key, by the database's clock: in one statement, so that requests of all processes get
 * one after the other.
 * @returns 0, or how many tokens are missing
 */
export async function takeFromBucket(
  db: Db,
  { table, column, key }: { table: string; column: string; key: string | Buffer },
  { perMinute, burst }: Rate,
): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    insert into ${sql.table(table)} as b (${sql.ref(column)}, tokens, updated_at)
    values (${key}, ${burst}::float8 - 1, clock_timestamp())
    on conflict (${sql.ref(column)}) do update set
      tokens = least(${burst}::float8,
        case when b.tokens < 0 then b.tokens + 1 else b.tokens end
          + greatest(0, extract(epoch from clock_timestamp() - b.updated_at)) * ${perMinute}::float8 / 60) - 1,
      updated_at = greatest(b.updated_at, clock_timestamp())
    returning tokens
  `.execute(db);
  return Math.max(0, -rows[0]!.tokens);
}
