import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import { replyOf, startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser } from "../../support/people/person.ts";

let http: TestApi;
/** Another process of the same installation. */
let other: TestApi;
let ada: Browser;
let adaId: string;

beforeAll(async () => {
  http = await startTestApi();
  other = await startTestApi({ database: http.database });
  [ada, adaId] = await newPerson();
});
afterAll(async () => {
  await other?.stop();
  await http?.stop();
});

let people = 0;
async function newPerson(): Promise<[Browser, string]> {
  const browser = await new Browser(http).join(`fay${++people}@example.com`);
  return [browser, ((await browser.get("/api/me")).json["user"] as { id: string }).id];
}

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const FORM = "application/x-www-form-urlencoded";
const error = ({ status, json }: Reply): unknown[] => [status, json["error"]];

/** A client sends neither a cookie nor an origin. Each is somewhere else, so that no limit of an address disturbs. */
let clients = 0;
async function send(
  api: TestApi,
  path: string,
  body: string | Record<string, string>,
  { address = `10.1.${clients >> 8}.${clients++ & 255}`, headers = {} }: { address?: string; headers?: object } = {},
): Promise<Reply> {
  return replyOf(
    await api.api.request(
      path,
      {
        method: "POST",
        headers: { "Content-Type": FORM, "X-Forwarded-For": address, ...headers },
        body: typeof body === "string" ? body : new URLSearchParams(body).toString(),
      },
      { incoming: { socket: { remoteAddress: "127.0.0.1" } } },
    ),
  );
}

interface Code {
  device_code: string;
  user_code: string;
}
const codeOf = ({ json }: Reply): Code => ({
  device_code: String(json["device_code"]),
  user_code: String(json["user_code"]),
});
async function ask(parameters: Record<string, string> = {}): Promise<Code> {
  const reply = await send(http, "/auth/device/code", { client_id: "svc-cli", ...parameters });
  expect(reply.status).toBe(200);
  return codeOf(reply);
}
const poll = ({ device_code }: Code, api = http): Promise<Reply> =>
  send(api, "/auth/device/token", { grant_type: GRANT, client_id: "svc-cli", device_code });
/** As if the client had waited for its interval. */
const letIntervalPass = () => http.database.query("update device_codes set polled_at = polled_at - interval '6 s'");
const approve = ({ user_code }: Code, team?: string, browser = ada): Promise<Reply> =>
  browser.post("/auth/device/approve", { user_code, ...(team !== undefined && { team }) });
const callWith = async (key: unknown, method: string, path: string, body?: object): Promise<Reply> =>
  replyOf(
    await http.api.request(path, {
      method,
      headers: { Authorization: `Bearer ${String(key)}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
async function addMember(teamId: string, userId: string, role: string): Promise<void> {
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, $3)", [
    teamId,
    userId,
    role,
  ]);
}

describe("the flow", () => {
  test("a person who approves in one process gives the client a key in another, and each step is audited", async () => {
    const begun = await send(http, "/auth/device/code", { client_id: "svc-cli", device_name: "workbench" });
    expect([begun.status, begun.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(begun.json).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: "http://127.0.0.1/device",
      verification_uri_complete: `http://127.0.0.1/device?user_code=${String(begun.json["user_code"])}`,
      expires_in: 600,
      interval: 5,
    });
    const code = codeOf(begun);
    expect(error(await poll(code, other))).toEqual([400, "authorization_pending"]);

    const typed = code.user_code.toLowerCase().replace("-", "");
    const seen = await ada.get(`/auth/device?user_code=${typed}`);
    expect(seen.json).toEqual({
      request: {
        client: "svc-cli",
        user_code: code.user_code,
        device_name: "workbench",
        scopes: null,
        address: expect.stringMatching(/^10\.1\./),
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      },
      teams: [{ id: adaId, name: expect.any(String), personal: true, role: "owner" }],
      team: adaId,
    });
    const keysBefore = await http.database.query("select 1 from api_keys where user_id = $1", [adaId]);
    expect((await approve(code)).status).toBe(200);
    expect((await http.database.query("select 1 from api_keys where user_id = $1", [adaId])).rows).toEqual(
      keysBefore.rows,
    );

    await letIntervalPass();
    const answer = await poll(code, other);
    expect([answer.status, answer.headers.get("Cache-Control"), answer.json]).toEqual([
      200,
      "no-store",
      {
        access_token: expect.stringMatching(/^svc_/),
        token_type: "Bearer",
        team: { id: adaId, name: expect.any(String) },
      },
    ]);
    const me = await callWith(answer.json["access_token"], "GET", "/api/me");
    expect(me.json["user"]).toMatchObject({ id: adaId });
    const { rows } = await http.database.query(
      "select k.name, l.action from api_keys k, audit_log l where k.user_id = $1 and l.owner_id = $1 order by l.id",
      [adaId],
    );
    expect(rows.slice(-2)).toEqual([
      { name: "svc on workbench", action: "device.approve" },
      { name: "svc on workbench", action: "key.create" },
    ]);
  });

  test("the key acts in the chosen team, with the scopes that were asked for and its maker's role at most", async () => {
    const team = await makeTeam(http);
    await addMember(team.id, adaId, "viewer");
    const code = await ask({ scope: "apps:read apps:write", device_name: "x".repeat(100) });
    expect((await ada.get(`/auth/device?user_code=${code.user_code}`)).json["request"]).toMatchObject({
      scopes: ["apps:read", "apps:write"],
    });
    expect((await approve(code, team.id)).json).toEqual({ team: { id: team.id, name: "Acme" } });
    const { json } = await poll(code);
    expect(json).toMatchObject({ scope: "apps:read apps:write", team: { id: team.id, name: "Acme" } });
    const key = json["access_token"];
    const me = (await callWith(key, "GET", "/api/me")).json;
    expect([me["teams"], me["key"]]).toMatchObject([
      [{ id: team.id, role: "viewer" }],
      { scopes: ["apps:read", "apps:write"] },
    ]);
    const made = await callWith(key, "POST", "/api/apps", { name: "mine", repo_url: "https://github.com/you/mine" });
    expect(error(made)).toEqual([403, "insufficient_role"]);
    await http.database.query("update team_members set role = 'developer' where user_id = $1 and team_id = $2", [
      adaId,
      team.id,
    ]);
    const again = await callWith(key, "POST", "/api/apps", { name: "mine", repo_url: "https://github.com/you/mine" });
    expect(again.status).toBe(201);
    expect(error(await callWith(key, "GET", "/api/apps/mine/env"))).toEqual([403, "insufficient_scope"]);
    const { rows } = await http.database.query("select name from api_keys where team_id = $1 and user_id = $2", [
      team.id,
      adaId,
    ]);
    expect(rows).toEqual([{ name: `svc on ${"x".repeat(53)}` }]);
  });

  test("the team that the client names, by id or name, is proposed, and taken when the person names none", async () => {
    const team = await makeTeam(http, "Proposed");
    await addMember(team.id, adaId, "developer");
    for (const wanted of [team.id, "Proposed"]) {
      const code = await ask({ team: wanted });
      expect((await ada.get(`/auth/device?user_code=${code.user_code}`)).json["team"]).toBe(team.id);
      expect((await approve(code)).json).toEqual({ team: { id: team.id, name: "Proposed" } });
    }
    const strange = await ask({ team: "Nobody's" });
    expect((await ada.get(`/auth/device?user_code=${strange.user_code}`)).json["team"]).toBeNull();
    expect(error(await approve(strange))).toEqual([404, "not_found"]);
    const others = await makeTeam(http, "Others");
    expect(error(await approve(strange, others.id))).toEqual([404, "not_found"]);
    expect(error(await approve(strange, "x'"))).toEqual([404, "not_found"]);
    expect((await approve(strange, adaId)).status).toBe(200);
  });
});

describe("a device code", () => {
  test("works once: of ten polls at once, over two processes, one gets a key, and a replay gets none", async () => {
    const code = await ask({ device_name: "race" });
    await approve(code);
    const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => poll(code, index % 2 ? http : other)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, json } of replies.filter((reply) => reply.status !== 200)) {
      expect([status, ["slow_down", "invalid_grant"].includes(String(json["error"]))]).toEqual([400, true]);
    }
    expect(error(await poll(code, other))).toEqual([400, "invalid_grant"]);
    const { rows } = await http.database.query("select 1 from api_keys where name = 'svc on race'");
    expect(rows).toHaveLength(1);
  });

  test("tells its person by mail of the key that it became", async () => {
    const [browser] = await newPerson();
    const email = `fay${people}@example.com`;
    const code = await ask();
    await approve(code, undefined, browser);
    const key = (await poll(code)).json["access_token"] as string;
    const mail = (await mailsTo(http, email)).find(({ kind }) => kind === "key_made");
    expect(mail?.text).toContain(key.slice(0, 8));
    expect(mail?.text).not.toContain(key);
  });

  test("is stored as a hash alone", async () => {
    const { device_code } = await ask();
    const { rows } = await http.database.query("select d::text as row from device_codes d");
    for (const { row } of rows) expect(row).not.toContain(device_code);
    const [hash] = (await http.database.query("select encode(code_hash, 'hex') as hash from device_codes")).rows;
    expect(error(await poll({ device_code: String(hash!["hash"]), user_code: "" }))).toEqual([400, "invalid_grant"]);
  });

  test("expires: the client is told so, nobody can approve it, and its row is removed an hour later", async () => {
    const code = await ask();
    const approved = await ask();
    await approve(approved);
    const expire = (id: string, ago: string) =>
      http.database.query("update device_codes set expires_at = now() - $2::interval where user_code = $1", [
        id.replace("-", ""),
        ago,
      ]);
    for (const each of [code, approved]) {
      await expire(each.user_code, "0");
      expect(error(await poll(each))).toEqual([400, "expired_token"]);
      expect(error(await approve(each))).toEqual([404, "not_found"]);
    }
    await deleteExpiredIdentity(http.database.db, 100);
    expect(error(await poll(code))).toEqual([400, "expired_token"]);
    await expire(code.user_code, "61 min");
    await deleteExpiredIdentity(http.database.db, 100);
    expect(error(await poll(code))).toEqual([400, "invalid_grant"]);
    expect(error(await poll(approved))).toEqual([400, "expired_token"]);
  });

  test("is answered slow_down before its interval has passed, which grows by 5 seconds each time", async () => {
    const code = await ask();
    const later = (seconds: number) =>
      http.database.query("update device_codes set polled_at = polled_at - $1 * interval '1 s'", [seconds]);
    expect(error(await poll(code))).toEqual([400, "authorization_pending"]);
    expect(error(await poll(code, other))).toEqual([400, "slow_down"]);
    await later(6);
    expect(error(await poll(code))).toEqual([400, "slow_down"]);
    await later(16);
    expect(error(await poll(code))).toEqual([400, "authorization_pending"]);
    await approve(code);
    expect(error(await poll(code))).toEqual([400, "slow_down"]);
    await later(21);
    expect((await poll(code)).status).toBe(200);
  });

  test("that was denied is worth nothing, and can't be approved afterwards", async () => {
    const code = await ask();
    expect((await ada.post("/auth/device/deny", { user_code: code.user_code })).status).toBe(204);
    expect(error(await approve(code))).toEqual([404, "not_found"]);
    for (let i = 0; i < 2; i++) {
      expect(error(await poll(code))).toEqual([400, "access_denied"]);
      await letIntervalPass();
    }
    const { rows } = await http.database.query("select action from audit_log order by id desc limit 1");
    expect(rows).toEqual([{ action: "device.deny" }]);
  });
});

describe("an approval", () => {
  // Somebody who has entered no codes yet.
  beforeAll(async () => {
    [ada, adaId] = await newPerson();
  });

  test("is the first answer's: of two people who approve at once, one does", async () => {
    const [ben] = await newPerson();
    const code = await ask();
    const replies = await Promise.all([approve(code), approve(code, undefined, ben)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    const winner = replies.find(({ status }) => status === 200)!.json["team"] as { id: string };
    expect((await poll(code)).json["team"]).toEqual(winner);
  });

  test("ends with its person's place in the team, also when they come back before the client asks", async () => {
    const [ben, benId] = await newPerson();
    const team = await makeTeam(http, "Left");
    await addMember(team.id, benId, "developer");
    const code = await ask();
    expect((await approve(code, team.id, ben)).status).toBe(200);
    expect((await team.ownerIn.call("DELETE", `/api/teams/${team.id}/members/${benId}`)).status).toBe(204);
    await addMember(team.id, benId, "developer");
    expect(error(await poll(code))).toEqual([400, "access_denied"]);
    const { rows } = await http.database.query("select 1 from api_keys where user_id = $1", [benId]);
    expect(rows).toEqual([]);
  });

  test("ends with its person's account", async () => {
    const [ben, benId] = await newPerson();
    const code = await ask();
    expect((await approve(code, undefined, ben)).status).toBe(200);
    await http.database.query("delete from users where id = $1", [benId]);
    expect(error(await poll(code))).toEqual([400, "access_denied"]);
  });

  test("needs a session, a verified address and a page of this service", async () => {
    const code = await ask();
    const body = JSON.stringify({ user_code: code.user_code });
    for (const path of ["/auth/device/approve", "/auth/device/deny"]) {
      expect(error(await new Browser(http).send("POST", path, body))).toEqual([401, "unauthorized"]);
      for (const Origin of ["https://evil.example", "null", ""]) {
        expect(error(await ada.send("POST", path, body, { Origin }))).toEqual([403, "origin_refused"]);
      }
      expect(error(await ada.send("POST", path, `user_code=${code.user_code}`, { "Content-Type": FORM }))).toEqual([
        415,
        "unsupported_media_type",
      ]);
    }
    expect(error(await new Browser(http).get(`/auth/device?user_code=${code.user_code}`))).toEqual([
      401,
      "unauthorized",
    ]);
    const [ben, benId] = await newPerson();
    await http.database.query("update users set email_verified_at = null where id = $1", [benId]);
    expect(error(await approve(code, undefined, ben))).toEqual([403, "email_not_verified"]);
    expect(error(await poll(code))).toEqual([400, "authorization_pending"]);
  });

  test("is refused to the client when the person has as many keys as anybody may", async () => {
    const [ben, benId] = await newPerson();
    const code = await ask();
    await approve(code, undefined, ben);
    for (let i = 0; i < 100; i++) await http.addCaller({ userId: benId });
    const reply = await poll(code);
    expect(error(reply)).toEqual([400, "access_denied"]);
    expect(reply.json["error_description"]).toMatch(/revoke one first/);
  });
});

describe("limits", () => {
  test("guesses of user codes are limited per account, from however many addresses", async () => {
    const [ben] = await newPerson();
    const statuses: number[] = [];
    for (let i = 0; i < 22; i++) {
      const elsewhere = new Browser(i % 2 ? http : other);
      elsewhere.cookie = ben.cookie;
      statuses.push((await elsewhere.get("/auth/device?user_code=BCDF-GHJK")).status);
    }
    expect([statuses.slice(0, 20), statuses.at(-1)]).toEqual([Array<number>(20).fill(404), 429]);
    const code = await ask();
    expect(error(await approve(code, undefined, ben))).toEqual([429, "rate_limited"]);
  });

  test("guesses of user codes are limited per address, with however many accounts", async () => {
    const statuses: number[] = [];
    for (let person = 0; person < 4; person++) {
      const [{ cookie }] = await newPerson();
      const browser = new Browser(http, { address: "192.0.2.77" });
      browser.cookie = cookie;
      for (let i = 0; i < 17; i++) statuses.push((await browser.get("/auth/device?user_code=BCDF-GHJK")).status);
    }
    expect([statuses.slice(0, 60), statuses.at(-1)]).toEqual([Array<number>(60).fill(404), 429]);
  });

  test("one network has a few open codes at most, over all processes", async () => {
    const replies: Reply[] = [];
    for (let i = 0; i < 12; i++) {
      const address = `2001:db8:77:77::${i + 1}`;
      replies.push(await send(i % 2 ? http : other, "/auth/device/code", { client_id: "svc-cli" }, { address }));
    }
    expect(replies.map(({ status }) => status)).toEqual([...Array<number>(10).fill(200), 429, 429]);
    const refused = replies.at(-1)!;
    expect([refused.json["error"], Number(refused.headers.get("Retry-After")) > 0]).toEqual(["slow_down", true]);
  });
});

describe("requests that the RFCs do not allow", () => {
  const good = { grant_type: GRANT, client_id: "svc-cli", device_code: "x".repeat(43) };
  const without = (name: keyof typeof good) =>
    Object.fromEntries(Object.entries(good).filter(([key]) => key !== name)) as Record<string, string>;

  test.each<[error: string, path: string, what: string, body: string | Record<string, string>]>([
    ["invalid_request", "code", "an empty form", {}],
    ["invalid_request", "code", "an empty client_id", { client_id: "" }],
    ["invalid_client", "code", "another client", { client_id: "other" }],
    ["invalid_scope", "code", "a scope that is none", { client_id: "svc-cli", scope: "apps:read everything" }],
    ["invalid_scope", "code", "two spaces between scopes", { client_id: "svc-cli", scope: "apps:read  apps:write" }],
    ["invalid_request", "code", "a parameter that is there twice", "client_id=svc-cli&client_id=svc-cli"],
    ["invalid_request", "code", "a device_name of two lines", { client_id: "svc-cli", device_name: "a\nb" }],
    ["invalid_request", "code", "a long team", { client_id: "svc-cli", team: "x".repeat(101) }],
    ["invalid_request", "code", "a form of 20 kB", { client_id: "svc-cli", more: "x".repeat(20_000) }],
    ["invalid_request", "token", "no grant_type", without("grant_type")],
    ["invalid_request", "token", "no client_id", without("client_id")],
    ["invalid_request", "token", "no device_code", without("device_code")],
    ["unsupported_grant_type", "token", "another grant type", { ...good, grant_type: "password" }],
    ["invalid_client", "token", "another client", { ...good, client_id: "other" }],
    ["invalid_grant", "token", "an unknown code", good],
    ["invalid_grant", "token", "a code that can't be one", { ...good, device_code: "\0'é" }],
  ])("are answered %s by /auth/device/%s: %s", async (expected, path, _what, body) => {
    const reply = await send(http, `/auth/device/${path}`, body);
    expect([reply.status, reply.json]).toEqual([
      400,
      // RFC 6749, section 5.2: printable ASCII without quotes and backslashes.
      { error: expected, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
    ]);
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
  });

  test("are refused as JSON, and unknown parameters are ignored", async () => {
    const json = { headers: { "Content-Type": "application/json" } };
    const reply = await send(http, "/auth/device/code", JSON.stringify({ client_id: "svc-cli" }), json);
    expect(error(reply)).toEqual([400, "invalid_request"]);
    await ask({ resource: "x" });
    expect((await ada.get("/auth/device/token")).status).toBe(405);
  });

  test("a session is worth nothing to a client: its cookie is not read", async () => {
    const code = await ask();
    const reply = await send(
      http,
      "/auth/device/token",
      { ...good, device_code: code.device_code },
      { headers: { Cookie: ada.cookie, Origin: "https://evil.example" } },
    );
    expect(error(reply)).toEqual([400, "authorization_pending"]);
  });
});

describe("revoking", () => {
  test("a key revokes itself, at once for changes and with the next notification for reads, and the answer is 200 for any other key too", async () => {
    const caller = await http.addCaller();
    const bystander = await http.addCaller({ userId: caller.userId });
    const revoke = (key: string) =>
      send(http, "/auth/device/revoke", "", { headers: key === "" ? {} : { Authorization: `Bearer ${key}` } });
    expect((await caller.call("GET", "/api/apps")).status).toBe(200);
    for (const key of [caller.key, caller.key, "svc_wrong", "", "a b"]) {
      expect([key, (await revoke(key)).status]).toEqual([key, 200]);
    }
    expect((await caller.call("POST", "/api/apps", {})).status).toBe(401);
    // A read may be a notification old (`createKeyOwners`).
    await expect.poll(async () => (await caller.call("GET", "/api/apps")).status).toBe(401);
    expect((await bystander.call("GET", "/api/apps")).status).toBe(200);
    const { rows } = await http.database.query(
      "select actor, target, detail->>'name' as name from audit_log where action = 'key.revoke'",
    );
    expect(rows).toEqual([{ actor: `key:${caller.keyId}`, target: `key:${caller.keyId}`, name: "test" }]);
  });
});
