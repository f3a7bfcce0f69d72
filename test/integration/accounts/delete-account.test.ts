import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";

let http: TestApi;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const erase = (browser: Browser, password = PASSWORD): Promise<Reply> => browser.post("/auth/delete", { password });
const idOf = async (browser: Browser): Promise<string> =>
  ((await browser.get("/api/me")).json["user"] as { id: string }).id;

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

test("a deleted account leaves its teams with what it made there, and nothing of the person", async () => {
  const email = "ada@example.test";
  const ada = await new Browser(http).join(email);
  const id = await idOf(ada);
  const team = await makeTeam(http);
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'developer')", [
    team.id,
    id,
  ]);
  const { json: key } = await ada.post("/auth/keys", { name: "ci", team: team.id });
  const body = JSON.stringify({ name: "shop", repo_url: "https://github.com/you/shop" });
  expect((await ada.send("POST", "/api/apps", body, { "Svc-Team": team.id })).status).toBe(201);
  await ada.post("/api/apps/shop/deploy");
  const elsewhere = new Browser(http);
  await elsewhere.signIn(email);

  expect(brief(await erase(ada, "wrong horse battery"))).toEqual([401, "credentials_invalid"]);
  expect((await erase(ada)).status).toBe(204);
  for (const browser of [ada, elsewhere]) expect(await browser.who()).toBeUndefined();
  expect((await new Browser(http).signIn(email)).status).toBe(401);
  const asked = { headers: { Authorization: `Bearer ${String(key["key"])}` } };
  expect((await http.api.request("/api/me", asked)).status).toBe(401);
  expect((await team.ownerIn.call("GET", "/api/apps/shop")).status).toBe(200);
  const { rows } = await http.database.query("select email, name, email_verified from users where id = $1", [id]);
  expect(rows).toEqual([{ email: `${id}@deleted.invalid`, name: "", email_verified: false }]);
  for (const table of ["sessions", "accounts", "two_factors"]) {
    const { rows: left } = await http.database.query(`select 1 from ${table} where user_id = $1`, [id]);
    expect([table, left]).toEqual([table, []]);
  }
  // The address is free for somebody else.
  expect(await idOf(await new Browser(http).join(email))).not.toBe(id);
});

test("whoever has deleted their account comes back by no invitation that they have sent", async () => {
  const dee = await new Browser(http).join("dee@example.test");
  const team = await makeTeam(http);
  const values = [team.id, await idOf(dee)];
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')", values);
  const invited = await dee.post(`/api/teams/${team.id}/invitations`, { email: "dee2@example.test", role: "owner" });
  expect(invited.status).toBe(201);
  expect((await erase(dee)).status).toBe(204);
  const { json } = await team.ownerIn.call("GET", `/api/teams/${team.id}/invitations`);
  expect(json["invitations"]).toEqual([]);
});

test("an account stays while its own team has apps, or a team would have no owner", async () => {
  const ben = await new Browser(http).join("ben@example.test");
  await ben.post("/api/apps", { name: "bens", repo_url: "https://github.com/you/bens" });
  expect(brief(await erase(ben))).toEqual([409, "team_in_use"]);
  await http.database.query("delete from apps where name = 'bens'");
  const { json } = await ben.post("/api/teams", { name: "Bens" });
  expect(brief(await erase(ben))).toEqual([409, "last_owner"]);
  expect(await ben.who()).toBe("ben@example.test");
  await ben.delete(`/api/teams/${(json["team"] as { id: string }).id}`);
  expect((await erase(ben)).status).toBe(204);
});

test("people get all that is held about them, and no secret", async () => {
  const cy = await new Browser(http).join("cy@example.test");
  const { json: key } = await cy.post("/auth/keys", { name: "laptop" });
  const { status, json, text } = await cy.get("/auth/export");
  expect([status, json]).toMatchObject([
    200,
    {
      person: { email: "cy@example.test" },
      teams: [{ name: "Personal", role: "owner" }],
      keys: [{ name: "laptop" }],
      sessions: [{ ip_address: cy.address }],
    },
  ]);
  expect((json["activity"] as { action: string }[]).map(({ action }) => action)).toContain("key.create");
  for (const secret of [key["key"], cy.cookie.split("=")[1]!.split(".")[0]]) expect(text).not.toContain(secret);
});
