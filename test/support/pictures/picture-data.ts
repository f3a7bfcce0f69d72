import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import { tellMetrics } from "../agent/telling-metrics.ts";
import { randomUUID } from "node:crypto";
import { insertEvents } from "@svc/control-plane/deploys/events/deploy-events.store.ts";
import type { Caller, TestApi } from "../api/http.ts";
import { addDeploy } from "../api/pipeline.ts";
import { addLiveRelease, ScriptedApps } from "../api/scripted-apps.ts";
import { startTalk } from "../assistant/talk.ts";
import { OAuthProgram } from "../assistant/oauth-program.ts";
import { addOperator, hearOf } from "../people/operator.ts";
import { Browser } from "../people/person.ts";

/** The longest name that an app may have, in words that a line can't be broken at. */
const LONG_NAME = `shop${"-of-the-longest-name".repeat(2)}${"x".repeat(19)}`;

const LONG_DOMAIN = "a-long-subdomain-of-a-customer.with-a-long-company-name.example.org";

const EMAIL = "ada.lovelace-of-the-analytical-engine@example.com";

/** Somebody who sees every page that a session can show. */
export interface PictureData {
  /** The header of their session. */
  cookie: string;
  /** The session of somebody who has nothing yet. */
  newcomerCookie: string;
  /** Addresses of pages for that person, below the base address; the same page in several states has several. */
  pages: readonly string[];
  /** Addresses of pages for somebody who is not signed in. */
  openPages: readonly string[];
}

/**
 * Fills an installation with what people have: apps in each state with deploys in each state, domains, webhooks, a team,
 * keys and servers. It writes over the API where a call makes the state, and rows where only an agent would.
 */
export async function addPictureData(http: TestApi): Promise<PictureData> {
  const operator = await addOperator(http, EMAIL);
  const newcomer = await new Browser(http).join("newcomer@example.com");
  const { rows } = await http.database.query("select id from users where email = $1", [EMAIL]);
  const caller = await http.addCaller({ userId: String(rows[0]!["id"]) });
  await http.database.query("update users set tier = 'team' where id = $1", [caller.userId]);
  const serverId = await addServers(http);
  await addApps(http, caller, serverId);
  const { failed, running } = await addDeploys(http, caller, serverId);
  await addMetrics(http, serverId);
  await addSettings(http, caller);
  const team = await addTeam(caller);
  const conversation = await addConversation(caller);
  await operator.post("/auth/keys", { name: "laptop", team: caller.userId, scopes: ["apps:read", "deploys:write"] });

  const program = await OAuthProgram.register(http, { client_name: `Assistant ${LONG_NAME}` });

  const tabs = ["", "/deploys", "/env", "/domains", "/logs", "/metrics", "/webhooks", "/settings"];
  const pathsOf = (app: string) => tabs.map((tab) => `/apps/${app}${tab}`);
  return {
    cookie: operator.cookie,
    newcomerCookie: newcomer.cookie,
    pages: [
      "/",
      "/new",
      ...pathsOf("shop"),
      `/apps/shop/deploys/${failed}`,
      `/apps/orders/deploys/${running}`,
      ...pathsOf(LONG_NAME),
      "/apps/worker",
      "/apps/blog",
      "/apps/none",
      "/device",
      `/authorize?${new URLSearchParams(program.request()).toString()}`,
      "/settings/profile",
      "/settings/sessions",
      "/settings/keys",
      "/settings/team",
      `/settings/team?team=${team}`,
      "/activity",
      "/chat",
      `/chat/${conversation}`,
      "/servers",
      "/servers/frankfurt-1",
      "/teams",
      "/nowhere",
    ],
    openPages: ["/sign-in", "/sign-up", "/forgot", "/reset", "/join", "/verify", "/address", "/invitation"].map(
      (path) => `${path}#token=${"A".repeat(43)}`,
    ),
  };
}

async function addServers(http: TestApi): Promise<string> {
  const id = await http.addServer("frankfurt-1");
  await hearOf(http, id);
  await http.addServer("helsinki-with-a-rather-long-name-2", { linked: false });
  const apps = new ScriptedApps();
  apps.log = Array.from({ length: 40 }, (_, i) => `INFO GET /orders/${i} 200 ${i} ms`);
  http.links.clients.set(id, apps.client());
  return id;
}

/** One app in each state. */
async function addApps(http: TestApi, caller: Caller, serverId: string): Promise<void> {
  const { query } = http.database;
  for (const name of ["shop", "orders", "worker", "blog", "new-one", LONG_NAME]) {
    await must(caller, "POST", "/api/apps", { name, repo_url: `https://github.com/analytical-engines/${name}` });
  }
  for (const name of ["shop", "worker", "blog"]) {
    await addLiveRelease(http.parts, { name, userId: caller.userId, serverId, env: { PORT: "3000" } });
  }
  const health = { state: "unhealthy", reason: "crash_loop", since: new Date().toISOString() };
  await query("update apps set health = $1 where name = 'worker'", [JSON.stringify(health)]);
  await query("update apps set status = 'stopped' where name = 'blog'");
}

/** One deploy that failed, of the app shop, and one that runs, of the app orders. @returns their ids */
async function addDeploys(http: TestApi, caller: Caller, serverId: string) {
  const idOf = async (name: string) => {
    const { rows } = await http.database.query("select id from apps where name = $1", [name]);
    return { id: String(rows[0]!["id"]), userId: caller.userId };
  };
  const { db } = http.parts;
  const failed = await addDeploy(db, await idOf("shop"), serverId);
  await bringTo(http, failed, "failed", 2);
  await http.database.query("update apps set status = 'running' where name = 'shop'");
  const longest = await addDeploy(db, await idOf(LONG_NAME), serverId);
  await bringTo(http, longest, "failed", 2);
  await http.database.query("update apps set status = 'failed' where name = $1", [LONG_NAME]);
  const running = await addDeploy(db, await idOf("orders"), serverId);
  await bringTo(http, running, "running", 2);
  return { failed, running };
}

const METRICS_WINDOWS = 300;

/** Most of an hour of the app shop, with a busy moment. */
async function addMetrics(http: TestApi, serverId: string): Promise<void> {
  const { rows } = await http.database.query("select id from apps where name = 'shop'");
  const appId = String(rows[0]!["id"]);
  const newest = windowOf(Date.now() / 1000) - 10;
  const windows = Array.from({ length: METRICS_WINDOWS }, (_, ago) => {
    const requests = ago > 100 && ago < 120 ? 400 : 20 + (ago % 7);
    const usage = {
      cpuMilliseconds: requests * 10,
      memoryBytes: BigInt(90 + (ago % 20)) * 1024n ** 2n,
      memoryBytesMax: 512n * 1024n ** 2n,
      networkBytesIn: BigInt(requests * 500),
      networkBytesOut: BigInt(requests * 9_000),
      restarts: 0,
    };
    const app = { appId, requests, errors: ago % 60 === 0 ? 2 : 0, latencyCounts: [requests], usage };
    return { start: newest - ago * 10, apps: [app] };
  });
  await tellMetrics({ db: http.parts.db }, serverId, windows);
}

const LOG_LINES = [
  "Cloning https://github.com/analytical-engines/shop at main.",
  "\u001b[33mwarning\u001b[0m 3 dependencies are out of date",
  "\u001b[31mError\u001b[0m: Cannot find module './orders' required by /app/server.js and by nothing else that the build has seen",
];

/** Records that the steps before `step` succeeded, and that this one runs or failed. */
async function bringTo(
  { database }: TestApi,
  deploy: string,
  status: "failed" | "running",
  step: number,
): Promise<void> {
  const { query, db } = database;
  const error = "The build failed: `npm run build` ended with exit code 1. See the last lines of the log.";
  await query(
    "update deploys set status = 'running', started_at = now() - interval '95 seconds', commit_sha = $2 where id = $1",
    [deploy, "c".repeat(40)],
  );
  await query(
    `update deploy_steps set status = 'running', started_at = now() - interval '90 seconds'
       where deploy_id = $1 and step_order <= $2`,
    [deploy, step],
  );
  await query(
    `update deploy_steps set status = 'success', finished_at = now() - interval '80 seconds'
       where deploy_id = $1 and step_order < $2`,
    [deploy, step],
  );
  await insertEvents(db, deploy, [{ kind: "log", stepOrder: step, payload: { lines: LOG_LINES, dropped: 0 } }]);
  if (status === "running") return;
  await query(
    `update deploy_steps set status = 'failed', finished_at = now(), output = $3, error = $4, error_code = 'build_failed'
       where deploy_id = $1 and step_order = $2`,
    [deploy, step, LOG_LINES.join("\n"), error],
  );
  await query("update deploy_steps set status = 'skipped' where deploy_id = $1 and step_order > $2", [deploy, step]);
  await query(
    "update deploys set status = 'failed', finished_at = now(), error = $2, error_code = 'build_failed' where id = $1",
    [deploy, error],
  );
}

async function addSettings(http: TestApi, caller: Caller): Promise<void> {
  const env = {
    DATABASE_POOL_SIZE: "10",
    GREETING: "Hello, world",
    A_VARIABLE_WITH_A_NAME_OF_MANY_CHARACTERS_THAT_LEAVES_LITTLE_ROOM_FOR_ITS_VALUE: "x".repeat(300),
  };
  await must(caller, "PUT", "/api/apps/shop/env", { env });
  for (const domain of ["shop.example.com", LONG_DOMAIN]) {
    await http.database.query(
      "insert into domains (domain, app_id, leads_here, active, owner_proven) select $1, id, $2, $2, $2 from apps where name = 'shop'",
      [domain, domain !== LONG_DOMAIN],
    );
  }
  const webhook = await must(caller, "POST", "/api/apps/shop/webhooks", {
    url: `https://93.184.215.14/hooks/${"long-path/".repeat(8)}`,
  });
  for (const [status, response, error] of [
    ["delivered", 204, null],
    ["failed", 500, "The receiver answered with 500."],
    ["failed", null, "The receiver did not answer within 10 s."],
  ] as const) {
    await http.database.query(
      `insert into webhook_deliveries (id, webhook_id, event, body, status, attempts, response_status, error, finished_at)
         values ($1, $2, 'deploy.failed', '{}', $3, 2, $4, $5, now())`,
      [randomUUID(), webhook["id"], status, response, error],
    );
  }
}

/** @returns its id */
async function addTeam(caller: Caller): Promise<string> {
  const { team } = await must(caller, "POST", "/api/teams", { name: "Analytical Engines of the Northern Counties" });
  const { id } = team as { id: string };
  return id;
}

/** Adds a conversation with words, an answer of each kind, a card that waits and one that was left. @returns its id */
async function addConversation(caller: Caller): Promise<string> {
  const talk = await startTalk(caller);
  await talk.say("help");
  await talk.say("status of shop");
  await talk.say("why did the last deploy of shop fail?");
  const { cards } = await talk.say("stop shop");
  await talk.decide(cards[0]!, "leave");
  await talk.say(`deploy ${LONG_NAME} from ${"a-long-name-of-a-branch".repeat(4)}`);
  return talk.id;
}

async function must(caller: Caller, method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const reply = await caller.call(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.json;
}
