import { join } from "node:path";
import express from "express";
import { pool } from "./database.js";

export const app = express();

app.use(express.json({ limit: "64kb" }));
app.use(express.static(join(import.meta.dirname, "public")));

app.get("/health", async (req, res) => {
  await pool.query("select 1");
  res.json({ status: "ok" });
});

app.get("/api/notes", async (req, res) => {
  const { rows } = await pool.query("select id, text, created_at from notes order by id desc limit 100");
  res.json({ notes: rows });
});

app.post("/api/notes", async (req, res) => {
  const text = req.body?.text;
  if (typeof text !== "string" || text.trim() === "" || text.length > 1000) {
    return res.status(400).json({ error: "text must be 1 to 1000 characters" });
  }
  const { rows } = await pool.query("insert into notes (text) values ($1) returning id, text, created_at", [
    text.trim(),
  ]);
  return res.status(201).json({ note: rows[0] });
});

app.delete("/api/notes/:id", async (req, res) => {
  if (!/^[0-9]{1,9}$/.test(req.params.id)) return res.status(404).json({ error: "not found" });
  const { rowCount } = await pool.query("delete from notes where id = $1", [req.params.id]);
  return rowCount === 1 ? res.status(204).end() : res.status(404).json({ error: "not found" });
});

app.use((req, res) => res.status(404).json({ error: "not found" }));

// Express knows an error handler by its four parameters.
app.use((error, req, res, _next) => {
  const status = error.status ?? 500;
  if (status >= 500) console.error(error);
  res.status(status).json({ error: status >= 500 ? "internal" : error.message });
});
