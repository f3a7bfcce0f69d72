import type { ColumnType, Generated, GeneratedAlways, JSONColumnType, Selectable } from "kysely";

/**
 * The platform's own tables as the migrations leave them; meanings are in the migrations' comments. Each subject adds its
 * own in `tables.ts`, beside the statements that read and write them.
 */
export interface Database {
  idempotency_keys: {
    user_id: string;
    method: string;
    path: string;
    key: string;
    body_hash: Buffer;
    response_status: number | null;
    response_body: string | null;
    claim_id: string;
    claimed_at: Generated<Date>;
    created_at: CreatedAt;
  };
  audit_log: {
    id: GeneratedAlways<string>;
    at: CreatedAt;
    actor: string;
    action: string;
    target: string;
    request_id: string | null;
    owner_id: string | null;
    detail: ColumnType<Record<string, unknown>, string | undefined, never>;
  };
  installation: {
    name: string;
    value: Buffer;
  };
}

/** Columns of a table as they are read. */
export type Row<Table extends keyof Database, Column extends keyof Selectable<Database[Table]>> = Pick<
  Selectable<Database[Table]>,
  Column
>;

/** Is set by the database. */
export type CreatedAt = ColumnType<Date, Date | undefined, never>;

export type Json = JSONColumnType<Record<string, unknown>>;
