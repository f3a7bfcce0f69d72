/**
 * The floor of apps-list: Hono with one route that sends one query through pg and its answer on. DATABASE_URL, QUERY (SQL and
 * parameters as JSON), POOL (connections) and PORT say what and where.
 */
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { Pool } from "pg";

const { DATABASE_URL, QUERY, POOL, PORT } = process.env as Record<string, string>;
const { sql, parameters } = JSON.parse(QUERY!) as { sql: string; parameters: unknown[] };
const pool = new Pool({ connectionString: DATABASE_URL, max: Number(POOL) });

const bare = new Hono();
bare.get("/api/apps", async (c) => {
  const { rows } = await pool.query<{ json: string }>(sql, parameters);
  return c.body(`{"apps":${rows[0]!.json}}`, 200, { "Content-Type": "application/json" });
});
createAdaptorServer(bare).listen(Number(PORT), "127.0.0.1");
