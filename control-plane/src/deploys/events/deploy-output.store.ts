import type { Kysely, Transaction } from "kysely";
import { OUTPUT_TAIL_BYTES, outputTail } from "./output-tail.ts";
import type { Database } from "../../platform/database/schema.ts";

/** Rows read at once while going back through the log. */
const ROWS_AT_ONCE = 16;

/** The tail of a step's output, put together from the newest log events: never more than it returns plus a few rows. */
export async function readOutputTail(
  db: Kysely<Database> | Transaction<Database>,
  deployId: string,
  stepOrder: number,
): Promise<string> {
  const newestFirst: string[] = [];
  let bytes = 0;
  for (let before: string | undefined; bytes <= OUTPUT_TAIL_BYTES;) {
    let query = db
      .selectFrom("deploy_events")
      .select(["number", "payload"])
      .where("deploy_id", "=", deployId)
      .where("step_order", "=", stepOrder)
      .where("kind", "=", "log")
      .orderBy("number", "desc")
      .limit(ROWS_AT_ONCE);
    if (before !== undefined) query = query.where("number", "<", before);
    const rows = await query.execute();
    for (const row of rows) {
      const text = textOf(row.payload);
      newestFirst.push(text);
      bytes += Buffer.byteLength(text) + 1;
    }
    before = rows.at(-1)?.number;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  return outputTail(newestFirst.reverse().join("\n"));
}

function textOf(payload: Record<string, unknown>): string {
  const lines = Array.isArray(payload["lines"]) ? payload["lines"].map(String) : [];
  const dropped = Number(payload["dropped"] ?? 0);
  return [...(dropped > 0 ? [`[${dropped} lines dropped]`] : []), ...lines].join("\n");
}
