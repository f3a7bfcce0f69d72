import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";
import type { Rate } from "../../rate.ts";

/**
 * Takes a token from the bucket of that key, by the database's clock: in one statement, so that requests of all processes
 * get one after the other. A bucket below zero has refused the last request: it holds one token more than it says.
 * @param db not a transaction that may be rolled back, since an attempt that fails has its price too
 * @returns 0, or how many tokens are missing
 */
export async function takeAttemptToken(db: Db, key: Buffer, { perMinute, burst }: Rate): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    insert into auth_rate_limits as b (key, tokens, updated_at)
    values (${key}, ${burst}::float8 - 1, clock_timestamp())
    on conflict (key) do update set
      tokens = least(${burst}::float8,
        case when b.tokens < 0 then b.tokens + 1 else b.tokens end
          + greatest(0, extract(epoch from clock_timestamp() - b.updated_at)) * ${perMinute}::float8 / 60) - 1,
      updated_at = greatest(b.updated_at, clock_timestamp())
    returning tokens
  `.execute(db);
  return Math.max(0, -rows[0]!.tokens);
}
