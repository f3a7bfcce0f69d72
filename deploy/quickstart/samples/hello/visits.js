import pg from "pg";

/** Visits, a row each, in the database that the platform provides. */
export async function createVisits(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 4 });
  // A lost connection is replaced at the next query.
  pool.on("error", (error) => console.error(error.message));
  await pool.query(
    `CREATE TABLE IF NOT EXISTS visits (
       id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       visited_at timestamptz NOT NULL DEFAULT now()
     )`,
  );
  return {
    async add() {
      const { rows } = await pool.query("INSERT INTO visits DEFAULT VALUES RETURNING id, visited_at");
      return rows[0];
    },
    async latest() {
      const { rows } = await pool.query("SELECT id, visited_at FROM visits ORDER BY id DESC LIMIT 10");
      return rows;
    },
    async count() {
      const { rows } = await pool.query("SELECT count(*)::int AS total FROM visits");
      return rows[0].total;
    },
    close: () => pool.end(),
  };
}
