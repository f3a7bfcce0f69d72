import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { tokenOf } from "../../support/people/person.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
let team: Team;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const app = (name: string) => ({ name, repo_url: `https://github.com/you/${name}` });
const rolesOf = async (caller: Caller, id = team.id): Promise<unknown> => {
  const { members } = (await caller.call("GET", `/api/teams/${id}/members`)).json as { members: { role: string }[] };
  return members.map(({ role }) => role);
};

beforeAll(async () => {
  http = await startTestApi();
  team = await makeTeam(http, "Acme & Söhne");
});
afterAll(() => http?.stop());

test("everybody has a personal team, whose only member can't be changed", async () => {
  const ada = await http.addCaller({ tier: "pro" });
  const { teams } = (await ada.call("GET", "/api/teams")).json as { teams: object[] };
  expect(teams).toEqual([
    { id: ada.userId, name: "Personal", personal: true, role: "owner", tier: "pro", created_at: expect.any(String) },
  ]);
  const place = `/api/teams/${ada.userId}`;
  const answers = [
    await ada.call("PATCH", place, { name: "Mine" }),
    await ada.call("DELETE", place),
    await ada.call("POST", `${place}/leave`),
    await ada.call("PUT", `${place}/members/${ada.userId}`, { role: "viewer" }),
    await ada.call("DELETE", `${place}/members/${ada.userId}`),
  ];
  for (const answer of answers) expect(brief(answer)).toEqual([409, "personal_team"]);
});

test("members of a team see one another's apps, and nobody else does", async () => {
  const developer = await team.addMember("developer");
  expect((await developer.call("POST", "/api/apps", app("shared"))).status).toBe(201);
  expect((await team.ownerIn.call("GET", "/api/apps/shared")).status).toBe(200);
  // The owner's own key acts in the personal team.
  expect((await team.owner.call("GET", "/api/apps/shared")).status).toBe(404);
  expect((await (await http.addCaller()).call("GET", "/api/apps/shared")).status).toBe(404);
  expect(brief(await team.owner.call("POST", "/api/apps", app("shared")))).toEqual([409, "name_taken"]);
});

test("apps count for their team, and not for who makes them", async () => {
  const small = await makeTeam(http, "small");
  await http.database.query("update teams set tier = 'free' where id = $1", [small.id]);
  for (const name of ["s1", "s2", "s3"]) {
    expect((await small.ownerIn.call("POST", "/api/apps", app(name))).status).toBe(201);
  }
  expect(brief(await small.ownerIn.call("POST", "/api/apps", app("s4")))).toEqual([403, "app_limit"]);
  expect((await small.owner.call("POST", "/api/apps", app("s4"))).status).toBe(201);
  expect((await small.ownerIn.call("GET", "/api/tier")).json["tier"]).toMatchObject({ name: "free", apps: 3 });
});

test("a lowered role holds from the next request on, for reads that are remembered as well", async () => {
  const member = await team.addMember("developer");
  expect((await member.call("GET", "/api/apps/shared/env")).status).toBe(200);
  const place = `/api/teams/${team.id}/members/${member.userId}`;
  const { json } = await team.ownerIn.call("PUT", place, { role: "viewer" });
  expect(json["member"]).toMatchObject({ user_id: member.userId, role: "viewer" });
  expect(brief(await member.call("PUT", "/api/apps/shared/env", { env: { A: "b" } }))).toEqual([
    403,
    "insufficient_role",
  ]);
  const read = () => member.call("GET", "/api/apps/shared/env");
  const { json: refusal } = await eventually(read, ({ status }) => status === 403, { what: "reads are refused" });
  expect(refusal["detail"]).toBe(
    "You are viewer in this team, and this needs developer. An owner of the team can change that.",
  );
});

test("the keys of somebody who is taken out of a team, or leaves it, end", async () => {
  const [taken, left] = [await team.addMember("developer"), await team.addMember("viewer")];
  const place = `/api/teams/${team.id}/members/${taken.userId}`;
  expect((await team.ownerIn.call("DELETE", place)).status).toBe(204);
  expect((await left.call("POST", `/api/teams/${team.id}/leave`)).status).toBe(204);
  for (const { call, keyId } of [taken, left]) {
    expect((await call("POST", "/api/apps", app("late"))).status).toBe(401);
    const { rows } = await http.database.query("select revoked_at is not null as ended from api_keys where id = $1", [
      keyId,
    ]);
    expect(rows).toEqual([{ ended: true }]);
  }
  // Whoever comes back gets no old key back.
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')", [
    team.id,
    left.userId,
  ]);
  expect((await left.call("GET", "/api/apps")).status).toBe(401);
});

test("a team keeps an owner, also when two of them lower each other at once", async () => {
  const pair = await makeTeam(http, "pair");
  const second = await pair.addMember("owner");
  const lower = (by: Caller, whom: Caller): Promise<Reply> =>
    by.call("PUT", `/api/teams/${pair.id}/members/${whom.userId}`, { role: "viewer" });
  await Promise.all([lower(pair.ownerIn, second), lower(second, pair.ownerIn)]);
  const roles = (await rolesOf(pair.ownerIn, pair.id)) as string[];
  expect(roles.toSorted()).toEqual(["owner", "viewer"]);
  const last = roles[0] === "owner" ? pair.ownerIn : second;
  const own = `/api/teams/${pair.id}/members/${last.userId}`;
  const answers = [
    await last.call("POST", `/api/teams/${pair.id}/leave`),
    await last.call("DELETE", own),
    await last.call("PUT", own, { role: "developer" }),
  ];
  for (const answer of answers) expect(brief(answer)).toEqual([409, "last_owner"]);
  expect((await last.call("PUT", own, { role: "owner" })).status).toBe(200);
});

test("a team is deleted when it has no apps any more, and its keys end with it", async () => {
  const short = await makeTeam(http, "short");
  await short.ownerIn.call("POST", "/api/apps", app("inside"));
  const place = `/api/teams/${short.id}`;
  expect(brief(await short.ownerIn.call("DELETE", place))).toEqual([409, "team_in_use"]);
  expect((await short.ownerIn.call("GET", "/api/apps/inside")).status).toBe(200);
  // As its removal does once its containers are gone.
  await http.database.query("delete from apps where name = 'inside'");
  expect((await short.ownerIn.call("DELETE", place)).status).toBe(204);
  const read = () => short.ownerIn.call("GET", "/api/teams");
  await eventually(read, ({ status }) => status === 401, { what: "the key has ended" });
});

test("nobody owns more than five teams, also not by asking for many at once", async () => {
  const ada = await http.addCaller();
  const names = Array.from({ length: 12 }, (_, number) => `team ${number}`);
  const answers = await Promise.all(names.map((name) => ada.call("POST", "/api/teams", { name })));
  const counts = Map.groupBy(answers, ({ status }) => status);
  expect([counts.get(201)?.length, counts.get(403)?.length]).toEqual([5, 7]);
});

test("names that a list could not show are refused", async () => {
  for (const name of ["", " ", " a", "a\nb", "a".repeat(61)]) {
    expect([name, ...brief(await team.owner.call("POST", "/api/teams", { name }))]).toEqual([
      name,
      400,
      "invalid_request",
    ]);
  }
});

test("what one team was answered is not replayed to a key of another, though one person has made both", async () => {
  const other = await makeTeam(http, "other");
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')", [
    other.id,
    team.owner.userId,
  ]);
  const elsewhere = await other.keyOf(team.owner.userId);
  const again = { "Idempotency-Key": "deploy-1" };
  const create = (by: Caller) => by.call("POST", "/api/apps", app("once"), again);
  expect((await create(team.ownerIn)).status).toBe(201);
  expect((await create(team.ownerIn)).status).toBe(201);
  expect(brief(await create(elsewhere))).toEqual([422, "idempotency_key_reuse"]);
});

test("each change of a team is in the audit log, as the team's", async () => {
  const kept = await makeTeam(http, "kept");
  const member = await kept.addMember("viewer");
  const place = `/api/teams/${kept.id}`;
  await kept.ownerIn.call("PATCH", place, { name: "renamed" });
  await kept.ownerIn.call("PUT", `${place}/members/${member.userId}`, { role: "deployer" });
  await kept.ownerIn.call("DELETE", `${place}/members/${member.userId}`);
  const { rows } = await http.database.query("select action from audit_log where owner_id = $1 order by id", [kept.id]);
  expect(rows.map(({ action }) => action)).toEqual(["team.create", "team.rename", "member.role", "member.remove"]);
});

test("owners read who did what in the team, page by page, and find the entries of an action or a person", async () => {
  const seen = await makeTeam(http, "seen");
  const member = await seen.addMember("developer");
  for (const name of ["one", "two"]) await member.call("POST", "/api/apps", app(`seen-${name}`));
  await seen.ownerIn.call("PATCH", `/api/teams/${seen.id}`, { name: "Seen" });
  const list = async (query: string) => {
    const { status, json } = await seen.ownerIn.call("GET", `/api/teams/${seen.id}/activity?${query}`);
    expect(status).toBe(200);
    return json as { activity: { action: string; email: string; key_name: string }[]; next_cursor?: string };
  };
  const actions = ({ activity }: Awaited<ReturnType<typeof list>>): string[] => activity.map(({ action }) => action);
  expect(actions(await list(""))).toEqual(["team.rename", "app.create", "app.create", "team.create"]);
  const first = await list("limit=3");
  expect(actions(await list(`limit=3&cursor=${first.next_cursor}`))).toEqual(["team.create"]);
  expect(actions(await list("action=app."))).toEqual(["app.create", "app.create"]);
  const own = await list(`user=${member.userId}`);
  expect(own.activity).toMatchObject(
    Array.from({ length: 2 }, () => ({
      email: `${member.userId}@example.test`,
      key_name: "test",
      action: "app.create",
    })),
  );
  for (const query of ["user=x", "cursor=x", "cursor=99999999999999999999", "limit=0", "limit=201"]) {
    const { status } = await seen.ownerIn.call("GET", `/api/teams/${seen.id}/activity?${query}`);
    expect([query, status]).toEqual([query, 400]);
  }
});

test("callers learn who they are, and in which team a key acts", async () => {
  const member = await team.addMember("deployer", { scopes: ["apps:read"] });
  expect((await member.call("GET", "/api/me")).json).toMatchObject({
    user: { id: member.userId, email: `${member.userId}@example.test`, email_verified: true },
    key: { id: member.keyId, scopes: ["apps:read"], apps: null },
    teams: [{ id: team.id, role: "deployer", personal: false }],
  });
});

test("a key that is limited to some apps learns nothing of the team", async () => {
  const limited = await team.addMember("owner", { apps: ["shared"] });
  for (const path of ["", "/members"]) {
    const reply = await limited.call(path === "" ? "DELETE" : "GET", `/api/teams/${team.id}${path}`);
    expect(brief(reply)).toEqual([403, "insufficient_scope"]);
  }
});

test("nobody owns more teams than five by way of others", async () => {
  const ada = await http.addCaller();
  const bob = await http.addCaller();
  const make = async (name: string): Promise<string> =>
    ((await ada.call("POST", "/api/teams", { name })).json["team"] as { id: string }).id;
  const ids = await Promise.all(["a", "b", "c", "d", "e"].map(make));
  for (const id of ids)
    await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')", [
      id,
      bob.userId,
    ]);
  const sixth = await makeTeam(http, "Sixth");
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')", [
    sixth.id,
    bob.userId,
  ]);
  const raised = await sixth.ownerIn.call("PUT", `/api/teams/${sixth.id}/members/${bob.userId}`, { role: "owner" });
  expect(brief(raised)).toEqual([403, "team_limit"]);
  await sixth.ownerIn.call("DELETE", `/api/teams/${sixth.id}/members/${bob.userId}`);
  await sixth.ownerIn.call("POST", `/api/teams/${sixth.id}/invitations`, {
    email: `${bob.userId}@example.test`,
    role: "owner",
  });
  const token = tokenOf((await mailsTo(http, `${bob.userId}@example.test`)).at(-1)!.link);
  expect(brief(await bob.call("POST", "/api/invitations/accept", { token }))).toEqual([403, "team_limit"]);
});
