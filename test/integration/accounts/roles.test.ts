import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLES, type Role } from "@svc/control-plane/platform/role.ts";
import { SCOPES } from "@svc/control-plane/platform/scope.ts";
import type { OpenApiDocument } from "../../support/api/described-answers.ts";
import { everyOperation, fill, type Operation } from "../../support/api/every-operation.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { Browser } from "../../support/people/person.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";

/** The least role that may use the route, and the scope that a key needs for it, written down a second time. */
const TABLE: Readonly<Record<string, [Role, string]>> = {
  listApps: ["viewer", "apps:read"],
  readApp: ["viewer", "apps:read"],
  listTemplates: ["viewer", "apps:read"],
  readTier: ["viewer", "apps:read"],
  listDeploys: ["viewer", "deploys:read"],
  readDeploy: ["viewer", "deploys:read"],
  streamDeployEvents: ["viewer", "deploys:read"],
  readLogs: ["viewer", "logs:read"],
  readMetrics: ["viewer", "apps:read"],
  listDomains: ["viewer", "domains:read"],
  readDomain: ["viewer", "domains:read"],
  readMe: ["viewer", "apps:read"],
  listTeams: ["viewer", "apps:read"],
  listMembers: ["viewer", "apps:read"],
  createTeam: ["viewer", "unscoped"],
  acceptInvitation: ["viewer", "unscoped"],
  leaveTeam: ["viewer", "unscoped"],
  compareReleases: ["viewer", "deploys:read"],
  readWaitingDeploy: ["viewer", "deploys:read"],
  readMove: ["viewer", "apps:read"],
  listVariables: ["viewer", "apps:read"],
  startDeploy: ["deployer", "deploys:write"],
  cancelDeploy: ["deployer", "deploys:write"],
  rollBack: ["deployer", "deploys:write"],
  actOnApp: ["deployer", "deploys:write"],
  createApp: ["developer", "apps:write"],
  planRepository: ["developer", "apps:write"],
  patchApp: ["developer", "apps:write"],
  ensureRepository: ["developer", "apps:write"],
  getEnv: ["developer", "env:read"],
  putEnv: ["developer", "env:write"],
  deleteEnv: ["developer", "env:write"],
  addDomain: ["developer", "domains:write"],
  removeDomain: ["developer", "domains:write"],
  createWebhook: ["developer", "webhooks:write"],
  listWebhooks: ["developer", "webhooks:read"],
  deleteWebhook: ["developer", "webhooks:write"],
  listWebhookDeliveries: ["developer", "webhooks:read"],
  redeliverWebhook: ["developer", "webhooks:write"],
  createDeployKey: ["developer", "unscoped"],
  getDeployKey: ["developer", "unscoped"],
  deleteDeployKey: ["developer", "unscoped"],
  readChat: ["viewer", "unscoped"],
  completeChat: ["viewer", "unscoped"],
  listConversations: ["viewer", "unscoped"],
  createConversation: ["viewer", "unscoped"],
  readConversation: ["viewer", "unscoped"],
  deleteConversation: ["viewer", "unscoped"],
  sendMessage: ["viewer", "unscoped"],
  decideCard: ["viewer", "unscoped"],
  deleteApp: ["owner", "apps:write"],
  moveApp: ["owner", "apps:write"],
  cancelMove: ["owner", "apps:write"],
  handOverApp: ["owner", "unscoped"],
  renameTeam: ["owner", "unscoped"],
  deleteTeam: ["owner", "unscoped"],
  listActivity: ["owner", "unscoped"],
  listInvitations: ["owner", "unscoped"],
  createInvitation: ["owner", "unscoped"],
  deleteInvitation: ["owner", "unscoped"],
  changeRole: ["owner", "unscoped"],
  removeMember: ["owner", "unscoped"],
};

/** What operators alone may do, signed in. */
const FOR_OPERATORS = [
  "listServers",
  "readServer",
  "createServer",
  "drainServer",
  "undrainServer",
  "setServer",
  "givePools",
  "listRoutes",
  "evacuateServer",
  "readEvacuation",
  "moveAnyApp",
  "cancelAnyMove",
  "readAnyMove",
  "listAllTeams",
  "listTiers",
  "changeTier",
  "listPlatformActivity",
];

let http: TestApi;
let operations: Operation[];
/** Sessions of people with that role in the team, which are in their personal teams as well. */
const sessions = new Map<Role, Browser>();
/** Keys by role, then by the scopes that they have. */
const keys = new Map<string, Caller>();
/** An operator, who is in no team but their own. */
let operator: Browser;
let own: Record<string, string>;
let others: Record<string, string>;

beforeAll(async () => {
  http = await startTestApi();
  const document = (await (await http.api.request("/api/openapi.json")).json()) as OpenApiDocument;
  operations = everyOperation(document);
  const team = await makeTeam(http);
  own = await thingsOf(team, "ours");
  others = await thingsOf(await makeTeam(http), "theirs");
  for (const role of ROLES) {
    await addKeys(team, role);
    const browser = await new Browser(http).join(`${role}@example.test`);
    const query = "insert into team_members (team_id, user_id, role) select $1, id, $2 from users where email = $3";
    await http.database.query(query, [team.id, role, `${role}@example.test`]);
    sessions.set(role, browser);
  }
  for (const name of ["ours", "theirs"]) await http.addServer(name);
  operator = await new Browser(http).join("operator@example.test");
  await http.database.query("update users set is_operator = true where email = 'operator@example.test'");
  const left = await team.addMember("owner");
  await http.database.query("delete from team_members where user_id = $1 and team_id = $2", [left.userId, team.id]);
  keys.set("nobody", left);
});
afterAll(() => http?.stop());

async function thingsOf(team: Team, name: string): Promise<Record<string, string>> {
  await team.ownerIn.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}` });
  await team.ownerIn.call("POST", `/api/apps/${name}/deploy`);
  const query = "select d.id from deploys d join apps a on a.id = d.app_id where a.name = $1";
  const { rows } = await http.database.query(query, [name]);
  return { name, id: (rows[0] as { id: string }).id, team: team.id, user: team.owner.userId };
}

/** One without scopes, one with each scope alone, one with all but each. */
async function addKeys(team: Team, role: Role): Promise<void> {
  const member = await team.addMember(role);
  keys.set(`${role} unscoped`, member);
  for (const scope of SCOPES) {
    keys.set(`${role} ${scope}`, await team.keyOf(member.userId, { scopes: [scope] }));
    const rest = SCOPES.filter((other) => other !== scope);
    keys.set(`${role} not ${scope}`, await team.keyOf(member.userId, { scopes: rest }));
  }
  keys.set(`${role} not unscoped`, await team.keyOf(member.userId, { scopes: [...SCOPES] }));
}

/** Whoever passes is told that this is no parameter of the route, before anything is done. */
const WRONG_QUERY = "?colour=red";
const PASSED = "invalid_request";

async function answer(key: string, { method, path, body }: Operation, values: Record<string, string>): Promise<string> {
  const { json } = await keys.get(key)!.call(method, fill(path, values) + WRONG_QUERY, body?.example);
  return String(json["error"]);
}

/** The same, asked by somebody who is signed in. */
async function answerTo(
  browser: Browser,
  { method, path, body }: Operation,
  values: Record<string, string>,
  team: string | undefined,
): Promise<string> {
  const text = method === "GET" || body === undefined ? "" : JSON.stringify(body.example);
  const headers: Record<string, string> = team === undefined ? {} : { "Svc-Team": team };
  const { json } = await browser.send(method, fill(path, values) + WRONG_QUERY, text, headers);
  return String(json["error"]);
}

/** A conversation is a person's, and is looked for last. */
const namesNothing = ({ path }: Operation): boolean => !/\{(name|team)\}|^\/api\/deploys\/\{id\}/.test(path);

test("every route is in the table, and nothing else", () => {
  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...Object.keys(TABLE), ...FOR_OPERATORS].toSorted(),
  );
});

test.for(Object.entries(TABLE))(
  "%s: each role with each scope and signed in, in its own team, another and none",
  async (row) => {
    const [operationId, [least, scope]] = row;
    const operation = operations.find((each) => each.operationId === operationId)!;
    const seen: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const role of ROLES) {
      const mayAsRole = ROLES.indexOf(role) >= ROLES.indexOf(least);
      for (const scopes of ["unscoped", scope, `not ${scope}`]) {
        const key = `${role} ${scopes}`;
        const passes = mayAsRole ? PASSED : "insufficient_role";
        seen[`${key}, own team`] = await answer(key, operation, own);
        expected[`${key}, own team`] = scopes.startsWith("not") ? "insufficient_scope" : passes;
        seen[`${key}, another team`] = await answer(key, operation, others);
        const elsewhere = mayAsRole && !namesNothing(operation) ? "not_found" : passes;
        expected[`${key}, another team`] = scopes.startsWith("not") ? "insufficient_scope" : elsewhere;
      }
    }
    for (const role of ROLES) {
      const inTeam = ROLES.indexOf(role) >= ROLES.indexOf(least) ? PASSED : "insufficient_role";
      seen[`${role} signed in, own team`] = await answerTo(sessions.get(role)!, operation, own, own["team"]);
      expected[`${role} signed in, own team`] = inTeam;
      seen[`${role} signed in, no team named`] = await answerTo(sessions.get(role)!, operation, own, undefined);
      // Everybody owns their personal team.
      expected[`${role} signed in, no team named`] = namesNothing(operation) ? PASSED : inTeam;
      seen[`${role} signed in, another team`] = await answerTo(sessions.get(role)!, operation, others, undefined);
      expected[`${role} signed in, another team`] = namesNothing(operation) ? PASSED : "not_found";
      seen[`${role} signed in, another team named`] = await answerTo(
        sessions.get(role)!,
        operation,
        own,
        others["team"],
      );
      expected[`${role} signed in, another team named`] = "not_found";
    }
    seen["owner who has left"] = await answer("nobody", operation, own);
    expected["owner who has left"] = "unauthorized";
    expect(seen).toEqual(expected);
  },
);

test.for(FOR_OPERATORS)("%s: is there for an operator who is signed in, and for nobody else", async (operationId) => {
  const operation = operations.find((each) => each.operationId === operationId)!;
  const seen: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const key of keys.keys()) {
    seen[`key: ${key}`] = await answer(key, operation, own);
    expected[`key: ${key}`] = key === "nobody" ? "unauthorized" : "not_found";
  }
  for (const role of ROLES) {
    for (const team of [own["team"], undefined]) {
      const who = `${role} signed in, ${team === undefined ? "no" : "own"} team named`;
      seen[who] = await answerTo(sessions.get(role)!, operation, own, team);
      expected[who] = "not_found";
    }
  }
  for (const [of, values] of Object.entries({ own, others })) {
    seen[`operator, ${of}`] = await answerTo(operator, operation, values, undefined);
    expected[`operator, ${of}`] = PASSED;
  }
  expect(seen).toEqual(expected);
});

test.for(Object.entries(TABLE))("%s: an operator has no right in another's team", async ([operationId]) => {
  const operation = operations.find((each) => each.operationId === operationId)!;
  const seen = await answerTo(operator, operation, others, undefined);
  expect(seen).toBe(namesNothing(operation) ? PASSED : "not_found");
});

test("the description of each route names its role and its scope", () => {
  for (const { operationId, described } of operations.filter(({ forOperators }) => !forOperators)) {
    const [role, scope] = TABLE[operationId]!;
    expect([operationId, described.description]).toEqual([
      operationId,
      expect.stringContaining(`Scope: ${scope}. Role: ${role}.`),
    ]);
  }
});
