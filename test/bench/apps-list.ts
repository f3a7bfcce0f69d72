import { Hono } from "hono";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { readAppsJson } from "@svc/control-plane/db/apps.ts";
import type { Database } from "@svc/control-plane/db/schema.ts";
import { appUrlSuffix } from "@svc/control-plane/domain/app-url.ts";
import { startTestApi } from "../support/http.ts";
import type { Figure } from "./figures.ts";

const APPS = 20;
/** As many as the pool has connections: what more there is would only wait. */
const AT_ONCE = 10;
/** Ours and the floor take turns, so that a busy moment of the machine meets both. */
const TURNS = 9;
const TURN_MS = 1_000;

/**
 * GET /api/apps, with its key, limits, log and answer, against a bare Hono route that makes the same query through pg and
 * does nothing else. Both in this process, without a socket, on one database.
 */
export async function benchAppsList(): Promise<Figure[]> {
  const http = await startTestApi({ unchecked: true });
  const pool = new Pool({ connectionString: http.database.url, max: AT_ONCE });
  try {
    const caller = await http.addCaller();
    for (let i = 0; i < APPS; i++) {
      await caller.call("POST", "/api/apps", { name: `app-${i}`, repo_url: `https://git.example.test/team/app-${i}` });
    }
    const bare = bareApi(pool, await recordQuery(pool, caller.userId));
    const ask = (api: { request(path: string, init: object): Response | Promise<Response> }) => async () => {
      const response = await api.request("/api/apps", { headers: { Authorization: `Bearer ${caller.key}` } });
      const text = await response.text();
      if (response.status !== 200 || text.length < APPS * 100)
        throw new Error(`${response.status} ${text.slice(0, 200)}`);
    };
    const values: number[] = [];
    const floor: number[] = [];
    for (let turn = 0; turn <= TURNS; turn++) {
      const ours = await requestsPerSecond(ask(http.api));
      const theirs = await requestsPerSecond(ask(bare));
      // The first turn warms both up.
      if (turn === 0) continue;
      values.push(ours);
      floor.push(theirs);
    }
    return [
      {
        bench: "apps-list",
        what: `GET /api/apps with ${APPS} apps (promised: a ratio of 0.8)`,
        unit: "requests/s",
        values,
        floor,
        floorIs: "a bare Hono route with the same query through pg",
      },
    ];
  } finally {
    await pool.end();
    await http.stop();
  }
}

interface Query {
  sql: string;
  parameters: readonly unknown[];
}

/** The query that the list makes, as it is sent. */
async function recordQuery(pool: Pool, userId: string): Promise<Query> {
  const queries: Query[] = [];
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void queries.push({ sql: query.sql, parameters: query.parameters }),
  });
  const urlSuffix = appUrlSuffix({ appsDomain: "apps.localhost", appsHttpsPort: 8443 });
  await readAppsJson(db, userId, { urlSuffix, only: null, limit: null, after: null });
  const [query] = queries;
  if (queries.length !== 1 || !query) throw new Error(`the list makes ${queries.length} queries`);
  return query;
}

function bareApi(pool: Pool, { sql, parameters }: Query): Hono {
  const bare = new Hono();
  bare.get("/api/apps", async (c) => {
    const { rows } = await pool.query<{ json: string }>(sql, [...parameters]);
    return c.body(`{"apps":${rows[0]!.json}}`, 200, { "Content-Type": "application/json" });
  });
  return bare;
}

async function requestsPerSecond(ask: () => Promise<void>): Promise<number> {
  const start = performance.now();
  let count = 0;
  const worker = async () => {
    while (performance.now() - start < TURN_MS) {
      await ask();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (count * 1000) / (performance.now() - start);
}
