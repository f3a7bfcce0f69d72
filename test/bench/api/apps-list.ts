import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { readAppsJson } from "@svc/control-plane/apps/app-json.ts";
import type { Database } from "@svc/control-plane/platform/database/schema.ts";
import { appUrlSuffix } from "@svc/control-plane/fleet/app-url.ts";
import { startControlPlanes, type ControlPlanes } from "../../support/platform/control-planes.ts";
import { Daemon } from "../../support/platform/platform.ts";
import type { Figure } from "../figures.ts";
import { signIn } from "./sign-in.ts";
import { askSteadily } from "./steady-asker.ts";
import { freePorts } from "../../support/tools/free-ports.ts";

const APPS = 20;
/** What else is in the database: as many teams, and apps of each. */
const CROWD = { teams: 20, apps: 50 };
/** This is as many as a control plane's pool has connections: what more there is would only wait. */
const AT_ONCE = 10;
/** Ours and the floor take turns, so that a busy moment of the machine meets both. */
const TURNS = 15;
const TURN_MS = 1_000;
/** Both are measured as they run for days: the compiler takes some 10,000 requests until it leaves their code alone. */
const WARM_UP_TURNS = 10;

/**
 * GET /api/apps, with its key, limits, log and answer, against a bare Hono route that sends the same query through pg and
 * does nothing else. Each is a process of its own, asked over real connections, on one database.
 */
export async function benchAppsList(): Promise<Figure[]> {
  const ours = await startControlPlanes(1);
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  let bare: Daemon | undefined;
  try {
    const baseUrl = ours.baseUrls[0]!;
    const { key, userId } = await ours.addKey();
    await createApps(baseUrl, key);
    await addCrowd(ours);
    const cookie = await signIn(ours, userId);
    const [port] = await freePorts(1);
    const bareUrl = new URL(`http://127.0.0.1:${port}/api/apps`);
    const query = JSON.stringify(await recordQuery(ours, userId));
    const variables = { DATABASE_URL: ours.database.url, QUERY: query, POOL: String(AT_ONCE), PORT: String(port) };
    bare = new Daemon("test/bench/api/bare-apps-list.ts", variables, bareUrl.href, join(directory, "bare.log"));
    await bare.start();
    const options = { connections: AT_ONCE, forMs: TURN_MS, bytesMin: APPS * 100 };
    const values: number[] = [];
    const signedIn: number[] = [];
    const floor: number[] = [];
    for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
      const url = new URL("/api/apps", baseUrl);
      const header = `Authorization: Bearer ${key}`;
      const mine = await askSteadily(url, { ...options, header });
      const withCookie = await askSteadily(url, { ...options, header: `Cookie: ${cookie}` });
      const theirs = await askSteadily(bareUrl, { ...options, header });
      if (turn < 0) continue;
      values.push(mine);
      signedIn.push(withCookie);
      floor.push(theirs);
    }
    return [
      {
        bench: "apps-list",
        what: `GET /api/apps with ${APPS} apps of ${CROWD.teams * CROWD.apps + APPS} (promised: a ratio of 0.8)`,
        unit: "requests/s",
        values,
        floor,
        floorIs: "a bare Hono route with the same query through pg",
      },
      {
        bench: "apps-list",
        what: "the same with a session, which costs a query more",
        unit: "requests/s",
        values: signedIn,
        floor: values,
        floorIs: "with a key",
      },
    ];
  } finally {
    await bare?.stop();
    await ours.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function createApps(baseUrl: string, key: string): Promise<void> {
  for (let i = 0; i < APPS; i++) {
    const { status } = await fetch(`${baseUrl}/api/apps`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: `app-${i}`, repo_url: `https://git.example.test/team/app-${i}` }),
    });
    if (status !== 201) throw new Error(`app-${i} was answered ${status}`);
  }
}

async function addCrowd({ database }: ControlPlanes): Promise<void> {
  await database.query(
    "insert into users (id, email, tier) select gen_random_uuid(), n || '@crowd.test', 'team' from generate_series(1, $1) n",
    [CROWD.teams],
  );
  await database.query(
    `insert into apps (id, owner_id, name, status)
     select gen_random_uuid(), id, 'crowd-' || row_number() over (), 'running'
     from users, generate_series(1, $1) where email like '%@crowd.test'`,
    [CROWD.apps],
  );
}

interface Query {
  sql: string;
  parameters: readonly unknown[];
}

/** The query that the list makes, as it is sent. */
async function recordQuery({ database }: ControlPlanes, userId: string): Promise<Query> {
  const pool = new Pool({ connectionString: database.url, max: 1 });
  const queries: Query[] = [];
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void queries.push({ sql: query.sql, parameters: query.parameters }),
  });
  try {
    const urlSuffix = appUrlSuffix({ appsDomain: "apps.localhost", appsHttpsPort: 443 });
    await readAppsJson(db, [userId], { urlSuffix, only: null, limit: null, after: null });
  } finally {
    await db.destroy();
  }
  const [query] = queries;
  if (queries.length !== 1 || !query) throw new Error(`the list makes ${queries.length} queries`);
  return query;
}
