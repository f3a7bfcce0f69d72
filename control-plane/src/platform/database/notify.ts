import { sql } from "kysely";
import type { Channel } from "../../ports.ts";
import type { Db } from "./database.ts";

export async function notify(db: Db, channel: Channel, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}
