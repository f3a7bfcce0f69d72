import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { promise } from "../../support/promises/promise.ts";
import { Browser } from "../../support/people/person.ts";

let http: TestApi;
let ada: Browser;
let adaId: string;
const EMAIL = "ada@example.test";
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const appsWith = (key: unknown) =>
  http.api.request("/api/apps", { headers: { Authorization: `Bearer ${String(key)}` } });

beforeAll(async () => {
  http = await startTestApi();
  ada = await new Browser(http).join(EMAIL);
  adaId = ((await ada.get("/api/me")).json["user"] as { id: string }).id;
});
afterAll(() => http?.stop());

test("a key is shown once, works until it is revoked, and its maker is told", async () => {
  promise("access", "an API key is made with a session alone, and shown once");
  const { status, json } = await ada.post("/auth/keys", { name: "laptop" });
  expect([status, json]).toMatchObject([
    201,
    { name: "laptop", team_id: adaId, scopes: null, apps: null, key: expect.stringMatching(/^svc_/) },
  ]);
  expect((await appsWith(json["key"])).status).toBe(200);
  const listed = await ada.get("/auth/keys");
  expect(listed.text).not.toContain(json["key"]);
  expect(listed.json["keys"]).toMatchObject([{ id: json["id"], name: "laptop", revoked_at: null }]);
  const mail = (await mailsTo(http, EMAIL)).find(({ kind }) => kind === "key_made");
  expect(mail!.text).toContain("Name: laptop");
  expect(mail!.text).not.toContain(json["key"]);
  expect((await ada.delete(`/auth/keys/${String(json["id"])}`)).status).toBe(204);
  const change = await http.api.request("/api/apps", {
    method: "POST",
    headers: { Authorization: `Bearer ${String(json["key"])}`, "Content-Type": "application/json" },
    body: "{}",
  });
  expect(change.status).toBe(401);
  const { rows } = await http.database.query(
    "select action from audit_log where owner_id = $1 and target = $2 order by id",
    [adaId, `key:${String(json["id"])}`],
  );
  expect(rows).toEqual([{ action: "key.create" }, { action: "key.revoke" }]);
});

test("a key acts in the team, with the scopes and apps, and until the time that it is made for", async () => {
  const team = await makeTeam(http);
  const asked = {
    name: "ci",
    team: team.id,
    scopes: ["apps:read"],
    apps: ["shop"],
    expires_at: "2099-01-01T00:00:00Z",
  };
  expect(brief(await ada.post("/auth/keys", asked))).toEqual([404, "not_found"]);
  const query = "insert into team_members (team_id, user_id, role) values ($1, $2, 'deployer')";
  await http.database.query(query, [team.id, adaId]);
  const { json } = await ada.post("/auth/keys", asked);
  const me = await http.api.request("/api/me", { headers: { Authorization: `Bearer ${String(json["key"])}` } });
  expect(await me.json()).toMatchObject({
    key: { scopes: ["apps:read"], apps: ["shop"] },
    teams: [{ id: team.id, role: "deployer" }],
  });
  expect(json["expires_at"]).toBe("2099-01-01T00:00:00.000Z");
});

test("what a key can't be is refused with what is allowed", async () => {
  const wrong: object[] = [
    { name: "" },
    { name: "a\nb" },
    { name: "x".repeat(61) },
    { name: "a", scopes: ["apps:all"] },
    { name: "a", scopes: [] },
    { name: "a", apps: ["../etc"] },
    { name: "a", expires_at: "tomorrow" },
    { name: "a", expires_at: "2001-01-01T00:00:00Z" },
    { name: "a", colour: "red" },
    {},
  ];
  for (const body of wrong)
    expect([body, ...brief(await ada.post("/auth/keys", body))]).toEqual([body, 400, "invalid_request"]);
});

test("a key is for at most a hundred apps, and one that was made for more still works", async () => {
  const apps = Array.from({ length: 101 }, (_, index) => `app-${index}`);
  const refused = await ada.post("/auth/keys", { name: "many", apps });
  expect(brief(refused)).toEqual([400, "invalid_request"]);
  expect(refused.json["detail"]).toBe(
    "The list of apps has 101 names: a key is for at most 100 apps. Make several keys, or leave the list out to allow all.",
  );
  const made = await ada.post("/auth/keys", { name: "many", apps: apps.slice(1) });
  expect([made.status, made.json["apps"]]).toEqual([201, apps.slice(1)]);
  await http.database.query("update api_keys set apps = $1 where id = $2", [apps, made.json["id"]]);
  expect((await appsWith(made.json["key"])).status).toBe(200);
});

test("keys are made, listed and revoked with a session alone, and only one's own", async () => {
  const other = await http.addCaller();
  for (const [method, path] of [
    ["GET", "/auth/keys"],
    ["POST", "/auth/keys"],
    ["DELETE", `/auth/keys/${other.keyId}`],
  ] as const) {
    const reply = await other.call(method, path, method === "POST" ? { name: "more" } : undefined, {
      Origin: "http://127.0.0.1",
      "Content-Type": "application/json",
    });
    expect([method, reply.status]).toEqual([method, 401]);
  }
  expect(brief(await ada.delete(`/auth/keys/${other.keyId}`))).toEqual([404, "not_found"]);
  expect(brief(await ada.delete("/auth/keys/x"))).toEqual([404, "not_found"]);
  expect((await other.call("GET", "/api/apps")).status).toBe(200);
});

test("somebody whose address is not verified makes no key", async () => {
  const eve = await new Browser(http).join("eve@example.test");
  await http.database.query("update users set email_verified_at = null where email = 'eve@example.test'");
  expect(brief(await eve.post("/auth/keys", { name: "early" }))).toEqual([403, "email_not_verified"]);
});

test("nobody has more than a hundred keys that work", async () => {
  await http.database.query(
    `insert into api_keys (id, user_id, team_id, name, prefix, hash)
     select gen_random_uuid(), $1, $1, 'x', 'svc_', gen_random_uuid()::text::bytea from generate_series(1, 100)`,
    [adaId],
  );
  expect(brief(await ada.post("/auth/keys", { name: "one more" }))).toEqual([403, "key_limit"]);
  await http.database.query("update api_keys set expires_at = now() where user_id = $1 and name = 'x'", [adaId]);
  expect((await ada.post("/auth/keys", { name: "one more" })).status).toBe(201);
});

test("a sign-in from an address that the person is not signed in from is told by mail, and another one is not", async () => {
  const email = "fay@example.test";
  const home = await new Browser(http).join(email);
  const told = async () => (await mailsTo(http, email)).filter(({ kind }) => kind === "new_sign_in").length;
  expect(await told()).toBe(0);
  await new Browser(http, { address: home.address }).signIn(email);
  expect(await told()).toBe(0);
  await new Browser(http).signIn(email);
  expect(await told()).toBe(1);
});
