import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLES, permitsRole, type Role } from "@svc/control-plane/platform/role.ts";
import { LEAST_ROLE } from "@svc/control-plane/platform/scope-roles.ts";
import { SCOPES } from "@svc/control-plane/platform/scope.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { allow, CALLBACK, look, OAuthProgram } from "../../support/assistant/oauth-program.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser } from "../../support/people/person.ts";

let http: TestApi;
let ada: Browser;
let adaId: string;
let program: OAuthProgram;

beforeAll(async () => {
  http = await startTestApi();
  ada = await new Browser(http).join("ada@example.com");
  adaId = ((await ada.get("/api/me")).json["user"] as { id: string }).id;
  program = await OAuthProgram.register(http);
});
afterAll(() => http?.stop());

const error = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const keyOf = ({ json }: Reply): string => String(json["access_token"]);
const statusWith = async (key: string) =>
  (await http.api.request("/api/apps", { headers: { Authorization: `Bearer ${key}` } })).status;
const keysOf = async (person: Browser) => (await person.get("/auth/keys")).json["keys"] as Record<string, unknown>[];

describe("an authorization code", () => {
  it("is worth nothing with another verifier, address, client or resource, and goes on to be good for its own", async () => {
    const code = await program.allowedBy(ada, adaId);
    const other = await OAuthProgram.register(http);
    const before = await keysOf(ada);
    expect(error(await program.exchange(code, { code_verifier: other.verifier }))).toEqual([400, "invalid_grant"]);
    expect(error(await program.exchange(code, { code_verifier: "short" }))).toEqual([400, "invalid_grant"]);
    expect(error(await program.exchange(code, { redirect_uri: `${CALLBACK}&x=1` }))).toEqual([400, "invalid_grant"]);
    expect(error(await other.exchange(code))).toEqual([400, "invalid_grant"]);
    expect(error(await other.exchange(code, { code_verifier: program.verifier }))).toEqual([400, "invalid_grant"]);
    expect(error(await program.exchange(code, { client_id: crypto.randomUUID() }))).toEqual([400, "invalid_client"]);
    expect(error(await program.exchange(code, { resource: "https://elsewhere.example/mcp" }))).toEqual([
      400,
      "invalid_target",
    ]);
    expect(error(await program.exchange(code, { grant_type: "password" }))).toEqual([400, "unsupported_grant_type"]);
    expect(error(await program.exchange(code, { code_verifier: "" }))).toEqual([400, "invalid_request"]);
    expect(await keysOf(ada)).toEqual(before);
    expect(await statusWith(keyOf(await program.exchange(code)))).toBe(200);
  });

  it("is good without its address, as OAuth 2.1 has it", async () => {
    const code = await program.allowedBy(ada, adaId);
    expect((await program.exchange(code, { redirect_uri: "" })).status).toBe(200);
  });

  it("that comes a second time ends the key that was made by it, and says so in the activity", async () => {
    const code = await program.allowedBy(ada, adaId);
    const key = keyOf(await program.exchange(code));
    expect(await statusWith(key)).toBe(200);
    expect(error(await program.exchange(code))).toEqual([400, "invalid_grant"]);
    await expect.poll(() => statusWith(key)).toBe(401);
    const { rows } = await http.database.query("select action, detail from audit_log order by id desc limit 1");
    expect(rows[0]).toMatchObject({ action: "key.revoke", detail: { name: "Desk", reason: "code used twice" } });
  });

  it("that comes again and again fills nobody's activity", async () => {
    const code = await program.allowedBy(ada, adaId);
    const { rows: keys } = await http.database.query("select count(*)::integer as before from audit_log");
    const replies = [await program.exchange(code), ...(await Promise.all([1, 2, 3].map(() => program.exchange(code))))];
    replies.push(await program.exchange(code));
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400]);
    const { rows } = await http.database.query("select action from audit_log order by id offset $1", [
      keys[0]!["before"],
    ]);
    expect(rows.map(({ action }) => action)).toEqual(["key.create", "key.revoke"]);
  });

  it("makes one key at most when it comes several times at once, and that one ends", async () => {
    const before = (await keysOf(ada)).length;
    const code = await program.allowedBy(ada, adaId);
    const replies = await Promise.all([1, 2, 3, 4].map(() => program.exchange(code)));
    const made = replies.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(await keysOf(ada)).toHaveLength(before + 1);
    await expect.poll(() => statusWith(keyOf(made[0]!))).toBe(401);
  });

  it("that becomes a key is told to its person by mail, as a key that a page makes", async () => {
    const bea = await new Browser(http).join("bea@example.com");
    const { user } = (await bea.get("/api/me")).json as { user: { id: string } };
    const key = keyOf(await program.exchange(await program.allowedBy(bea, user.id)));
    const mail = (await mailsTo(http, "bea@example.com")).find(({ kind }) => kind === "key_made");
    expect(mail?.text).toContain("Desk");
    expect(mail?.text).toContain(key.slice(0, 12));
    expect(mail?.text).not.toContain(key);
  });

  it("is worth nothing after 60 seconds", async () => {
    const code = await program.allowedBy(ada, adaId);
    const { rows } = await http.database.query(
      "select extract(epoch from expires_at - created_at)::integer as seconds from oauth_codes order by created_at desc limit 1",
    );
    expect(rows[0]).toEqual({ seconds: 60 });
    await http.database.query("update oauth_codes set expires_at = now()");
    expect(error(await program.exchange(code))).toEqual([400, "invalid_grant"]);
  });

  it("is not in the database as it is", async () => {
    const code = await program.allowedBy(ada, adaId);
    const { rows } = await http.database.query("select oauth_codes::text as row from oauth_codes");
    expect(rows.map(({ row }) => row).join("\n")).not.toContain(code);
  });

  it("is worth nothing once its person has left the team", async () => {
    const team = await makeTeam(http);
    await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'developer')", [
      team.id,
      adaId,
    ]);
    const code = await program.allowedBy(ada, team.id);
    await http.database.query("delete from team_members where team_id = $1 and user_id = $2", [team.id, adaId]);
    expect(error(await program.exchange(code))).toEqual([400, "invalid_grant"]);
  });
});

describe("an authorization request", () => {
  it.each([
    ["redirect_uri", "https://evil.example/"],
    ["redirect_uri", "http://127.0.0.1:3333/other?from=svc"],
    ["redirect_uri", "http://127.0.0.1:3333/callback"],
    ["redirect_uri", "http://127.0.0.1:3333/callback?from=svc&to=evil"],
    ["redirect_uri", "http://localhost:3333/callback?from=svc"],
    ["redirect_uri", "https://127.0.0.1:3333/callback?from=svc"],
    ["redirect_uri", "http://127.0.0.1:3333@evil.example/callback?from=svc"],
    ["redirect_uri", "javascript:alert(1)"],
    ["response_type", "token"],
    ["code_challenge_method", "plain"],
    ["code_challenge_method", undefined],
    ["code_challenge", undefined],
    ["code_challenge", "short"],
    ["resource", "https://elsewhere.example/mcp"],
    ["scope", "apps:read admin"],
  ])("whose %s is %s is refused on our page, and leads nowhere", async (name, value) => {
    const request = program.request({ [name]: value });
    for (const { status, json } of [
      await look(ada, request),
      await allow(ada, request, { team: adaId, scopes: ["apps:read"] }),
      await ada.post("/auth/oauth/refuse", { request }),
    ]) {
      expect({ status, json }).toMatchObject({ status: 400, json: { error: "invalid_request" } });
      expect(json).not.toHaveProperty("redirect_to");
    }
  });

  it("may name another port of the same machine, which is the one that was free", async () => {
    const redirect_uri = CALLBACK.replace("3333", "54321");
    const code = await program.allowedBy(ada, adaId, ["apps:read"], program.request({ redirect_uri }));
    expect(error(await program.exchange(code))).toEqual([400, "invalid_grant"]);
    expect((await program.exchange(code, { redirect_uri })).status).toBe(200);
  });

  it("of an https address may not name another port", async () => {
    const web = await OAuthProgram.register(http, { redirect_uris: ["https://desk.example/cb"] });
    expect((await look(ada, web.request({ redirect_uri: "https://desk.example/cb" }))).status).toBe(200);
    expect((await look(ada, web.request({ redirect_uri: "https://desk.example:8443/cb" }))).status).toBe(400);
  });

  it("of a program that has not registered is refused", async () => {
    expect((await look(ada, program.request({ client_id: crypto.randomUUID() }))).status).toBe(404);
    expect((await look(ada, program.request({ client_id: "x" }))).status).toBe(404);
  });

  it("is answered by nobody but the person, from our own page", async () => {
    const body = JSON.stringify({ request: program.request(), team: adaId, scopes: ["apps:read"] });
    const send = (headers: Record<string, string>) => ada.send("POST", "/auth/oauth/allow", body, headers);
    expect(error(await send({ Origin: "https://evil.example" }))).toEqual([403, "origin_refused"]);
    expect(error(await send({ "Content-Type": "text/plain" }))).toEqual([415, "unsupported_media_type"]);
    const nobody = new Browser(http);
    expect((await nobody.send("POST", "/auth/oauth/allow", body)).status).toBe(401);
    expect((await look(nobody, program.request())).status).toBe(401);
  });

  it("is answered on a page that no other site can frame", async () => {
    const page = await http.api.request("/authorize", { headers: { Accept: "text/html" } });
    expect(page.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
  });
});

describe("a key that a person allows", () => {
  it.each(ROLES)("may do no more than the role %s, and no more than was asked for", async (role: Role) => {
    const team = await makeTeam(http);
    await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, $3)", [
      team.id,
      adaId,
      role,
    ]);
    const request = program.request({ scope: undefined });
    const { teams } = (await look(ada, request)).json as { teams: { id: string; scopes: string[] }[] };
    const may = SCOPES.filter((scope) => permitsRole(role, LEAST_ROLE[scope]));
    expect(teams.find(({ id }) => id === team.id)?.scopes).toEqual(may);
    const chosen = { team: team.id, scopes: [...SCOPES] };
    const all = await allow(ada, request, chosen);
    expect(all.status).toBe(may.length === SCOPES.length ? 200 : 400);
    const asked = program.request({ scope: "apps:read" });
    expect(error(await allow(ada, asked, { ...chosen, scopes: ["apps:read", "logs:read"] }))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(error(await allow(ada, asked, { ...chosen, scopes: [] }))).toEqual([400, "invalid_request"]);
  });

  it("has the scopes of the role that the person has when the code is exchanged", async () => {
    const team = await makeTeam(http);
    await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'developer')", [
      team.id,
      adaId,
    ]);
    const code = await program.allowedBy(ada, team.id, ["apps:read", "deploys:write"]);
    await http.database.query("update team_members set role = 'viewer' where team_id = $1 and user_id = $2", [
      team.id,
      adaId,
    ]);
    expect((await program.exchange(code)).json).toMatchObject({ scope: "apps:read" });
  });

  it("can't be for a team that the person is not in", async () => {
    const team = await makeTeam(http);
    expect((await allow(ada, program.request(), { team: team.id, scopes: ["apps:read"] })).status).toBe(404);
    expect((await allow(ada, program.request(), { team: "x", scopes: ["apps:read"] })).status).toBe(404);
  });

  it("is not made before the person's e-mail address is verified", async () => {
    const eve = await new Browser(http).join("eve@example.com");
    await http.database.query(
      "update users set email_verified_at = null, email_verified = false where email = 'eve@example.com'",
    );
    const { user } = (await eve.get("/api/me")).json as { user: { id: string } };
    const reply = await allow(eve, program.request(), { team: user.id, scopes: ["apps:read"] });
    expect(error(reply)).toEqual([403, "email_not_verified"]);
  });
});

it("the least role of each scope is that of the routes", async () => {
  const { paths } = (await (await http.api.request("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, { description?: string }>>;
  };
  const texts = Object.values(paths).flatMap((path) => Object.values(path).map(({ description = "" }) => description));
  const least = new Map<string, Role>();
  for (const text of texts) {
    const [, scope, role] = /Scope: (\S+)\. Role: (\w+)\./.exec(text) ?? [];
    if (scope !== undefined) least.set(scope, lesser(role as Role, least.get(scope)));
  }
  least.delete("unscoped");
  expect(Object.fromEntries(least)).toEqual(LEAST_ROLE);
});

const lesser = (one: Role, other: Role | undefined): Role =>
  other === undefined || permitsRole(other, one) ? one : other;
