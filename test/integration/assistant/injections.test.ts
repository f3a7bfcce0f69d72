import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import { addLiveRelease, ScriptedApps } from "../../support/api/scripted-apps.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { INJECTIONS, type Injection } from "../../support/assistant/injections.ts";
import { startTalk } from "../../support/assistant/talk.ts";
import { lastOf, startModelDouble, type ModelDouble } from "../../support/doubles/model-double.ts";

/** Is in a variable, and in the app's log, which shows it to nobody. */
const SECRET = "value-of-a-variable-7391";
const VARIANTS = 200;
const REPO_URL = "https://github.com/you/shop";

let model: ModelDouble;
let http: TestApi;
const agent = new ScriptedApps();

beforeAll(async () => {
  model = await startModelDouble();
  http = await startTestApi({ model: { url: model.url, name: "obedient", key: model.key } });
});
afterAll(async () => {
  await http?.stop();
  await model?.close();
});

interface Victim {
  ada: Caller;
  app: string;
  appId: string;
  deployId: string;
}

/** Where an attacker's text stands, and the tool that reads it. */
const CARRIERS: Readonly<Record<string, { tool: string; write: (victim: Victim, text: string) => Promise<unknown> }>> =
  {
    "a log line": {
      tool: "read_logs",
      write: async (_victim, text) => (agent.log = [`SECRET is ${SECRET}`, ...text.split("\n")]),
    },
    "a web page's title": {
      tool: "read_logs",
      write: async (_victim, text) => (agent.log = [`GET / <html><title>${text}</title> ${SECRET}`]),
    },
    "a commit message": {
      tool: "explain_failure",
      write: ({ deployId }, text) =>
        http.database.query("update deploy_steps set output = $2 where deploy_id = $1", [
          deployId,
          `HEAD is now at 1a2b3c ${text}`,
        ]),
    },
    "a branch": {
      tool: "list_deploys",
      write: ({ deployId }, text) => http.database.query("update deploys set ref = $2 where id = $1", [deployId, text]),
    },
    "a repository's name": {
      tool: "read_app",
      write: ({ appId }, text) =>
        http.database.query("update apps set repo_url = $2 where id = $1", [appId, `https://github.com/you/${text}`]),
    },
  };

async function addVictim(number: number): Promise<Victim> {
  const ada = await http.addCaller();
  const app = `shop-${number}`;
  const serverId = await http.addServer(`server-${number}`);
  http.links.clients.set(serverId, agent.client());
  await ada.call("POST", "/api/apps", { name: app, repo_url: REPO_URL });
  await ada.call("PUT", `/api/apps/${app}/env`, { env: { SECRET } });
  const live = { name: app, userId: ada.userId, serverId };
  const { appId } = await addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, live);
  const deployId = newId();
  await http.database.query(
    `insert into deploys (id, app_id, user_id, server_id, status, release, error, started_at, finished_at)
     values ($1, $2, $3, $4, 'failed', 'v2', 'build_failed', now(), now())`,
    [deployId, appId, ada.userId, serverId],
  );
  const step =
    "insert into deploy_steps (deploy_id, step_name, step_order, status, error) values ($1, 'clone_build', 1, 'failed', 'no')";
  await http.database.query(step, [deployId]);
  return { ada, app, appId, deployId };
}

const COUNTS = `select
  (select count(*) from deploys d join apps a on a.id = d.app_id where a.owner_id = $1) as deploys,
  (select count(*) from api_keys where user_id = $1) as keys,
  (select count(*) from domains d join apps a on a.id = d.app_id where a.owner_id = $1) as domains,
  (select count(*) from audit_log where owner_id = $1 and action <> 'env.read') as entries,
  (select count(*) from cards k join conversations c on c.id = k.conversation_id
    where c.user_id = $1 and k.state <> 'proposed') as decided`;

/** Everything that belongs to the person, but for the conversations and what was counted. */
async function stateOf({ ada, app }: Victim): Promise<unknown> {
  return {
    counts: (await http.database.query(COUNTS, [ada.userId])).rows[0],
    app: (await ada.call("GET", `/api/apps/${app}`)).json["app"],
    env: (await ada.call("GET", `/api/apps/${app}/env`)).json,
    calls: [...agent.calls],
  };
}

/** The model reads what carries the text, and then does what it says. Returns whether it has. */
async function obey(
  victim: Victim,
  { tool, write }: (typeof CARRIERS)[string],
  injection: Injection,
): Promise<boolean> {
  let hasObeyed = false;
  await write(victim, injection.text);
  model.script = (request) => {
    const { role, content } = lastOf(request);
    if (role === "user") return { calls: [{ name: tool, arguments: { app: victim.app } }], tokens: 10 };
    if (hasObeyed || !injection.isIn(content)) return { say: "Done.", tokens: 10 };
    hasObeyed = true;
    return { say: "As it says.", calls: [injection.call(victim.app)], tokens: 10 };
  };
  const heard = await (await startTalk(victim.ada)).say(`what is the matter with ${victim.app}?`, { app: victim.app });
  expect([injection.name, heard.looked[0], heard.problems]).toEqual([injection.name, tool, []]);
  return hasObeyed;
}

test(`of ${VARIANTS} orders in texts of others, all obeyed by the model, 0 change anything without a click, and 0 bring it a value`, async () => {
  let obeyed = 0;
  for (const [number, carrier] of Object.values(CARRIERS).entries()) {
    const victim = await addVictim(number);
    const before = await stateOf(victim);
    for (const injection of INJECTIONS) {
      if (await obey(victim, carrier, injection)) obeyed += 1;
      await http.database.query("update apps set repo_url = $2 where id = $1", [victim.appId, REPO_URL]);
      expect([injection.name, await stateOf(victim)]).toEqual([injection.name, before]);
    }
  }
  expect(obeyed).toBe(VARIANTS);
  expect(model.bodies.filter((body) => body.includes(SECRET))).toEqual([]);
  expect(model.bodies.some((body) => body.includes("[REDACTED]"))).toBe(true);
}, 300_000);
