import type { Db } from "./database.ts";

/** Facts of the installation that all of its processes share. */
export async function readFact(db: Db, name: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom("installation").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}

/** Writes it unless there is one already. Returns the one that holds. */
export async function ensureFact(db: Db, name: string, value: Buffer): Promise<Buffer> {
  await db
    .insertInto("installation")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return (await readFact(db, name)) ?? value;
}

export async function replaceFact(db: Db, name: string, value: Buffer): Promise<void> {
  await db.updateTable("installation").set({ value }).where("name", "=", name).execute();
}
