import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { PreparingClient } from "./prepared-statements.ts";
import type { Database } from "./schema.ts";

/** The pool, or a transaction on it: queries take either. */
export type Db = Kysely<Database>;

export interface DatabaseOptions {
  url: string;
  log: Logger;
  /** Connections at most. */
  poolSize?: number;
}

/** Requests are short, and an embedded server has 60 connections for everything. */
const POOL_SIZE = 10;
/** An idle connection costs the server some 5 MB, a new one a page that opens some 20 ms: one minute is between two pages. */
const IDLE_MS_MAX = 60_000;
/** How long a request waits for a free connection before it fails. */
const CONNECT_MS_MAX = 10_000;
/** No query of ours takes long; one that does must not hold locks for ever. */
const STATEMENT_MS_MAX = 30_000;
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

/** Opens no connection yet. bigint arrives as string, timestamptz as Date, json parsed: the driver's own ways. */
export function openDatabase({ url, log, poolSize = POOL_SIZE }: DatabaseOptions): Db {
  const pool = new pg.Pool({
    connectionString: url,
    Client: PreparingClient,
    max: poolSize,
    min: 0,
    idleTimeoutMillis: IDLE_MS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    statement_timeout: STATEMENT_MS_MAX,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
    application_name: "svc-control-plane",
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the next query; without a listener it would end the process. The error
  // itself holds the whole connection.
  pool.on("error", ({ message: reason }) => {
    if (!pool.ending) log.warn({ reason }, "a database connection was lost");
  });
  // The pool listens to idle connections alone; one that breaks between the queries of a transaction would end it too.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/** Runs `work` in a transaction; inside of one already, as a part of that. */
export function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

const DEADLOCK = "40P01";
/** Each time, one of those who wait for each other has gone on. */
const DEADLOCKS_MAX = 3;

/**
 * Runs `work` in a transaction, and anew when PostgreSQL has ended it because it and others waited for each other
 * (PostgreSQL's manual, "Deadlocks"). For what takes rows of several people, in an order that the request decides.
 * @param work does nothing beyond the transaction
 */
export async function inRepeatedTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let ended = 0; ; ended++) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      const isDeadlock = error instanceof pg.DatabaseError && error.code === DEADLOCK;
      if (!isDeadlock || ended === DEADLOCKS_MAX) throw error;
    }
  }
}

const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";

/** Whether the error is PostgreSQL's refusal of a second row, by the index of that name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === index;
}

/** Whether what was to be deleted, or named, is held by the rows of that constraint. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION && error.constraint === constraint;
}
