import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import { inviteToJoin } from "@svc/control-plane/accounts/identity/joining/invite-to-join.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, joinToken, PASSWORD, tokenOf } from "../../support/people/person.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
/** Another process of the same installation. */
let other: TestApi;

beforeAll(async () => {
  http = await startTestApi();
  other = await startTestApi({ database: http.database });
});
afterAll(async () => {
  await other?.stop();
  await http?.stop();
});

let people = 0;
const newEmail = () => `ada${++people}@example.com`;
const answer = ({ status, json }: Reply) => [status, json["error"]];

async function mailTo(to: string, kind: string) {
  const find = async () => (await mailsTo(http, to)).filter((mail) => mail.kind === kind);
  const found = await eventually(find, (mails) => mails.length > 0, { what: `a mail ${kind} to ${to}` });
  return found.at(-1)!;
}

async function auditOf(email: string): Promise<unknown[]> {
  const { rows } = await http.database.query(
    "select action from audit_log where owner_id = (select id from users where email = $1) order by id",
    [email],
  );
  return rows.map(({ action }) => action);
}

describe("joining", () => {
  test("a link sets name and password once, proves the address, and signs in", async () => {
    const email = newEmail();
    const token = await joinToken(http, email);
    const browser = new Browser(http);
    const joined = await browser.post("/auth/join", { token, name: " Ada ", password: PASSWORD });
    expect([joined.status, joined.json]).toEqual([201, { redirect_to: "/" }]);
    expect((await browser.get("/auth/session")).json["person"]).toEqual({
      id: expect.any(String),
      email,
      email_verified: true,
      name: "Ada",
      tier: "free",
      operator: false,
      second_factor: false,
      has_password: true,
    });
    const again = await new Browser(http).post("/auth/join", { token, name: "Eve", password: "another long password" });
    expect([...answer(again), again.headers.getSetCookie()]).toEqual([410, "link_invalid", []]);
    expect((await new Browser(http).signIn(email)).status).toBe(200);
    expect(await auditOf(email)).toEqual(["user.join", "session.create", "session.create"]);
  });

  test("of twenty requests with one link, over two processes, one joins", async () => {
    const token = await joinToken(http, newEmail());
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        new Browser(index % 2 ? http : other).post("/auth/join", { token, name: "Ada", password: PASSWORD }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(19).fill(410)]);
  });

  test("a link that has expired, and one that never was, are refused alike", async () => {
    const token = await joinToken(http, newEmail());
    await http.database.query("update invitations_to_join set expires_at = now() where used_at is null");
    const join = (value: string) =>
      new Browser(http).post("/auth/join", { token: value, name: "Ada", password: PASSWORD });
    const expired = await join(token);
    expect(answer(expired)).toEqual([410, "link_invalid"]);
    for (const value of ["", "x", "\0", `${token.slice(1)}A`]) expect((await join(value)).text).toBe(expired.text);
  });

  test("a password that is short or common is refused, and the link stays valid", async () => {
    const email = newEmail();
    const token = await joinToken(http, email);
    for (const password of ["short", "password1234", "aaaaaaaaaaaaa", email, "x".repeat(300)]) {
      expect(answer(await new Browser(http).post("/auth/join", { token, name: "Ada", password }))).toEqual([
        400,
        "invalid_request",
      ]);
    }
    expect((await new Browser(http).post("/auth/join", { token, name: "Ada", password: PASSWORD })).status).toBe(201);
  });

  test("a second link of an address is worthless once the first was used", async () => {
    const email = newEmail();
    const tokens = [await joinToken(http, email), await joinToken(http, email)];
    const join = (token: string | undefined) =>
      new Browser(http).post("/auth/join", { token, name: "Ada", password: PASSWORD });
    expect((await join(tokens[1])).status).toBe(201);
    expect((await join(tokens[0])).status).toBe(410);
    await expect(joinToken(http, email)).rejects.toMatchObject({ code: "name_taken" });
  });
});

describe("sign-up", () => {
  test("nobody signs up without an invitation unless the operator allows it", async () => {
    expect(answer(await new Browser(http).post("/auth/sign-up", { email: newEmail() }))).toEqual([
      403,
      "sign_up_closed",
    ]);
  });

  test("where it is open, a mailed link makes the account, and a taken address is answered alike", async () => {
    const open = await startTestApi({
      database: http.database,
      signUp: { mode: "open", domains: ["example.com"] },
    });
    const email = newEmail();
    const first = await new Browser(open).post("/auth/sign-up", { email });
    await open.identity.settled();
    const [mail] = await mailsTo(open, email);
    expect(mail).toMatchObject({ kind: "join", to: email });
    expect((await http.database.query("select 1 from users where email = $1", [email])).rows).toEqual([]);
    const token = tokenOf(mail!.link);
    const joined = await new Browser(open).post("/auth/join", { token, name: "Ada", password: PASSWORD });
    expect(joined.status).toBe(201);

    const second = await new Browser(open).post("/auth/sign-up", { email });
    await open.identity.settled();
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    const last = (await mailsTo(open, email)).at(-1);
    expect(last).toMatchObject({ kind: "account_exists", link: "http://127.0.0.1/sign-in" });
    const elsewhere = await new Browser(open).post("/auth/sign-up", { email: "ada@example.com.evil.test" });
    expect(answer(elsewhere)).toEqual([403, "sign_up_closed"]);
    await open.stop();
  });
});

test("where it is closed, the operator's invitations are good, and those of others are not", async () => {
  const closed = await startTestApi({ database: http.database, signUp: { mode: "closed", domains: [] } });
  const join = (token: string) =>
    new Browser(closed).post("/auth/join", { token, name: "Ada", password: "correct horse battery" });
  expect((await join(await joinToken(http, newEmail()))).status).toBe(201);
  const email = newEmail();
  const { link } = await inviteToJoin(http.parts.db, email, "http://127.0.0.1");
  expect(answer(await join(tokenOf(link)))).toEqual([403, "sign_up_closed"]);
  expect((await http.database.query("select 1 from users where email = $1", [email])).rows).toEqual([]);
  expect(
    (await new Browser(http).post("/auth/join", { token: tokenOf(link), name: "Ada", password: PASSWORD })).status,
  ).toBe(201);
  await closed.stop();
});

describe("sessions", () => {
  test("a password opens a session, and nothing else about it is told", async () => {
    const email = newEmail();
    await new Browser(http).join(email);
    const browser = new Browser(http);
    const reply = await browser.signIn(email.toUpperCase());
    expect([reply.status, reply.json]).toEqual([200, { redirect_to: "/" }]);
    const [cookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/^svc_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    expect(await browser.who()).toBe(email);
    const { rows } = await http.database.query("select token from sessions");
    const { text } = await browser.get("/auth/sessions");
    for (const { token } of rows) expect(text).not.toContain(token);
  });

  test("over TLS the cookie belongs to this host alone", async () => {
    const tls = await startTestApi({ database: http.database, baseUrl: "https://svc.example.com" });
    const email = newEmail();
    await new Browser(http).join(email);
    const browser = new Browser(tls);
    const [cookie] = (await browser.signIn(email)).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-svc_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(await browser.who()).toBe(email);
    await tls.stop();
  });

  test("a session that another process ends is refused at once", async () => {
    const email = newEmail();
    const browser = await new Browser(http).join(email);
    const phone = new Browser(other);
    await phone.signIn(email);
    const { sessions } = (await phone.get("/auth/sessions")).json as { sessions: Record<string, unknown>[] };
    expect(sessions.map(({ current }) => current)).toEqual([true, false]);
    expect(sessions[1]).toEqual({
      id: expect.any(String),
      current: false,
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      address: browser.address,
      user_agent: "",
    });
    expect(await browser.who()).toBe(email);
    expect((await phone.delete(`/auth/sessions/${sessions[1]!["id"] as string}`)).status).toBe(204);
    expect(await browser.who()).toBeUndefined();
    expect(await phone.who()).toBe(email);
  });

  test("all other sessions end together, and signing out ends one's own", async () => {
    const email = newEmail();
    const browser = await new Browser(http).join(email);
    const others = [new Browser(http), new Browser(other)];
    for (const one of others) await one.signIn(email);
    expect((await browser.delete("/auth/sessions")).json).toEqual({ ended: 2 });
    expect([await browser.who(), await others[0]!.who(), await others[1]!.who()]).toEqual([
      email,
      undefined,
      undefined,
    ]);
    const { cookie } = browser;
    expect((await browser.post("/auth/sign-out")).status).toBe(204);
    expect(browser.cookie).toBe("");
    browser.cookie = cookie;
    expect(await browser.who()).toBeUndefined();
    expect((await browser.post("/auth/sign-out")).status).toBe(204);
  });

  test("nobody ends a session of somebody else", async () => {
    const mine = await new Browser(http).join(newEmail());
    const theirs = await new Browser(http).join(newEmail());
    const { session } = (await theirs.get("/auth/session")).json as { session: { id: string } };
    for (const id of [session.id, "x", "%00", "1'--", crypto.randomUUID()]) {
      expect(answer(await mine.delete(`/auth/sessions/${id}`))).toEqual([404, "not_found"]);
    }
    expect(await theirs.who()).toBeDefined();
  });

  test("a sign-in makes a new session, and ends the one that the browser had", async () => {
    const [email, mallory] = [newEmail(), newEmail()];
    await new Browser(http).join(email);
    const attacker = await new Browser(http).join(mallory);
    const victim = new Browser(http);
    victim.cookie = attacker.cookie;
    await victim.signIn(email);
    expect(victim.cookie).not.toBe(attacker.cookie);
    expect([await victim.who(), await attacker.who()]).toEqual([email, undefined]);
  });

  test("a cookie that was changed, or is another installation's, opens nothing", async () => {
    const browser = await new Browser(http).join(newEmail());
    const { cookie } = browser;
    const [name, value = ""] = cookie.split("=");
    const [token = ""] = decodeURIComponent(value).split(".");
    for (const changed of [
      `${name}=${token}`,
      `${name}=`,
      `${cookie.slice(0, -1)}`,
      `${name}=%00`,
      `${name}=%E0%A4%A`,
    ]) {
      browser.cookie = changed;
      expect([changed, await browser.who()]).toEqual([changed, undefined]);
    }
    browser.cookie = cookie;
    await http.database.query("update sessions set expires_at = now() - interval '1 second' where token = $1", [token]);
    expect(await browser.who()).toBeUndefined();
  });

  test("a session is read with one query and without what signs people in, and without a cookie with none", async () => {
    const browser = await new Browser(http).join(newEmail());
    const client = vi.spyOn((await import("pg")).default.Client.prototype, "query");
    const engine = vi.spyOn(http.identity, "engine");
    expect(await http.identity.readSession(new Headers({ Cookie: browser.cookie }))).toMatchObject({
      userId: expect.any(String),
      emailVerified: true,
      tier: "free",
      teams: [{ teamId: expect.any(String), role: "owner" }],
      createdAt: expect.any(Date),
    });
    const statements = () =>
      client.mock.calls.filter(
        ([asked]) => typeof asked === "string" || (asked as { name?: string }).name !== undefined,
      );
    expect(statements().length).toBeGreaterThanOrEqual(1);
    expect(statements().length).toBeLessThanOrEqual(1);
    client.mockClear();
    expect(await http.identity.readSession(new Headers({ Cookie: "other=1" }))).toBeUndefined();
    expect(statements()).toEqual([]);
    expect(engine).not.toHaveBeenCalled();
  });
});

describe("a password", () => {
  test("that is wrong, and an address that nobody has, are refused alike, after the same work", async () => {
    const email = newEmail();
    await new Browser(http).join(email);
    const { verifyPassword } = await http.identity.engine();
    const verify = vi.spyOn(await http.identity.engine(), "verifyPassword").mockImplementation(verifyPassword);
    const wrong = await new Browser(http).signIn(email, "wrong horse battery");
    const unknown = await new Browser(http).signIn(newEmail(), "wrong horse battery");
    expect(answer(wrong)).toEqual([401, "credentials_invalid"]);
    expect([unknown.status, unknown.text, unknown.headers.getSetCookie()]).toEqual([401, wrong.text, []]);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test("is changed by who knows it, and all other sessions end", async () => {
    const email = newEmail();
    const browser = await new Browser(http).join(email);
    const phone = new Browser(http);
    await phone.signIn(email);
    const change = (password: string) =>
      browser.post("/auth/password", { password, new_password: "another long password" });
    expect(answer(await change("wrong horse battery"))).toEqual([401, "credentials_invalid"]);
    expect((await change(PASSWORD)).status).toBe(204);
    expect([await browser.who(), await phone.who()]).toEqual([email, undefined]);
    expect(answer(await phone.signIn(email))).toEqual([401, "credentials_invalid"]);
    expect((await phone.signIn(email, "another long password")).status).toBe(200);
  });

  test("is reset by a mailed link, once; all sessions and older links end", async () => {
    const email = newEmail();
    const browser = await new Browser(http).join(email);
    const visitor = new Browser(http);
    const asked = await visitor.post("/auth/forgot", { email });
    const first = await mailTo(email, "reset");
    await visitor.post("/auth/forgot", { email });
    const second = await mailTo(email, "reset");
    const unknown = await visitor.post("/auth/forgot", { email: newEmail() });
    expect([unknown.status, unknown.text]).toEqual([asked.status, asked.text]);
    expect(asked.status).toBe(202);

    const reset = ({ link }: { link: string }) =>
      visitor.post("/auth/reset", { token: tokenOf(link), password: "another long password" });
    expect((await reset(second)).status).toBe(204);
    expect(visitor.cookie).toBe("");
    expect(await browser.who()).toBeUndefined();
    expect([answer(await reset(second)), answer(await reset(first))]).toEqual([
      [410, "link_invalid"],
      [410, "link_invalid"],
    ]);
    expect((await visitor.signIn(email)).status).toBe(401);
    expect((await visitor.signIn(email, "another long password")).status).toBe(200);
    expect(await auditOf(email)).toContain("user.reset_password");
  });

  test("is not reset by a link that has expired", async () => {
    const email = newEmail();
    await new Browser(http).join(email);
    await new Browser(http).post("/auth/forgot", { email });
    const { link } = await mailTo(email, "reset");
    await http.database.query("update verifications set expires_at = now()");
    const reply = await new Browser(http).post("/auth/reset", { token: tokenOf(link), password: "another long one!" });
    expect(answer(reply)).toEqual([410, "link_invalid"]);
  });
});

test("an address is verified by its owner's mail, once", async () => {
  const email = newEmail();
  const browser = await new Browser(http).join(email);
  await http.database.query("update users set email_verified_at = null where email = $1", [email]);
  expect((await browser.post("/auth/verification")).json).toEqual({ status: "mail_queued" });
  const { link } = await mailTo(email, "verify");
  const verify = () => new Browser(http).post("/auth/verify", { token: tokenOf(link) });
  expect((await verify()).status).toBe(204);
  expect((await browser.get("/auth/session")).json["person"]).toMatchObject({ email_verified: true });
  expect(answer(await verify())).toEqual([410, "link_invalid"]);
  expect((await browser.post("/auth/verification")).json).toEqual({ status: "verified" });
});

test("what has expired is removed, and nothing else", async () => {
  const email = newEmail();
  const browser = await new Browser(http).join(email);
  await new Browser(http).signIn(email);
  await http.database.query("update sessions set expires_at = now() - interval '1 second' where id <> $1", [
    ((await browser.get("/auth/session")).json["session"] as { id: string }).id,
  ]);
  await http.database.query("update auth_rate_limits set updated_at = now() - interval '2 days'");
  await http.database.query("update invitations_to_join set expires_at = now()");
  let removed = -1;
  while (removed !== 0) removed = await deleteExpiredIdentity(http.parts.db, 5);
  const left =
    "select (select count(*) from sessions) + (select count(*) from auth_rate_limits) + (select count(*) from invitations_to_join) as rows";
  expect((await http.database.query(left)).rows).toEqual([{ rows: "1" }]);
  expect(await browser.who()).toBe(email);
});

test("verified says the same as a time and as a boolean, whichever is written", async () => {
  const id = crypto.randomUUID();
  await http.database.query("insert into users (id, email, tier) values ($1, $2, 'free')", [id, newEmail()]);
  const write = async (set: string) =>
    (
      await http.database.query(
        `update users set ${set} where id = $1 returning email_verified, email_verified_at is not null as at`,
        [id],
      )
    ).rows[0];
  for (const value of ["email_verified = true", "tier = 'pro'", "email_verified_at = now()"]) {
    expect(await write(value)).toEqual({ email_verified: true, at: true });
  }
  expect(await write("email_verified_at = null")).toEqual({ email_verified: false, at: false });
  await write("email_verified_at = now()");
  expect(await write("email_verified = false")).toEqual({ email_verified: false, at: false });
});
