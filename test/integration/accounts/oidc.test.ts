import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import type { SignUpPolicy } from "@svc/control-plane/accounts/identity/joining/sign-up-policy.ts";
import { totpCode, totpStep } from "@svc/control-plane/accounts/identity/second-factor/totp.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { startLyingProvider, type LyingProvider, type Subject } from "../../support/people/lying-provider.ts";
import { beginAt, connectAt, placeOf, refused, signInAt, userOf } from "../../support/people/oidc-world.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, fromBase32, joinToken, PASSWORD, tokenOf } from "../../support/people/person.ts";

let liar: LyingProvider;
/** Makes accounts for everybody. */
let open: TestApi;

beforeAll(async () => {
  liar = await startLyingProvider();
  open = await startWith({ mode: "open", domains: [] });
});
afterAll(async () => {
  await open?.stop();
  await liar?.stop();
});

/** Shares the database of the open one, once there is one. */
function startWith(signUp: SignUpPolicy): Promise<TestApi> {
  const database = open === undefined ? {} : { database: open.database };
  return startTestApi({ ...database, signUp, oidc: { providers: [liar.provider] } });
}

let people = 0;
function newSubject(more: Partial<Subject> = {}): Subject & { email: string } {
  const sub = `subject-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: "Ada L.", ...more };
}
const answer = ({ status, json }: Reply) => [status, json["error"]];

async function auditOf(email: string): Promise<unknown[]> {
  const { rows } = await open.database.query(
    "select action, detail->>'how' as how from audit_log where owner_id = (select id from users where email = $1) order by id",
    [email],
  );
  return rows.map(({ action, how }) => (how === null ? action : `${action as string} ${how as string}`));
}

async function connectionsOf(browser: Browser): Promise<{ id: string; name: string }[]> {
  return (await browser.get("/auth/connections")).json["connections"] as { id: string; name: string }[];
}

/** Somebody with a password who has connected the provider. */
async function addConnected() {
  const subject = newSubject();
  const browser = await new Browser(open).join(subject.email);
  expect(await connectAt(browser, liar, { subject, password: PASSWORD })).toBe("/settings/profile");
  return { subject, browser, email: subject.email };
}

describe("where sign-up is open", () => {
  test("somebody new gets an account with the address and the name that the provider confirms, and comes back to it", async () => {
    const subject = newSubject();
    const browser = new Browser(open);
    expect(await signInAt(browser, liar, subject)).toBe("/");
    expect((await browser.get("/auth/session")).json["person"]).toMatchObject({
      email: subject.email,
      email_verified: true,
      name: "Ada L.",
    });
    expect(await auditOf(subject.email)).toEqual(["user.join oidc", "session.create oidc"]);
    const again = new Browser(open);
    expect([await signInAt(again, liar, subject), await again.who()]).toEqual(["/", subject.email]);
    expect(await connectionsOf(again)).toMatchObject([{ name: "Liar & Co" }]);
  });

  test("a person is known by the provider's subject, whatever their address is there by now", async () => {
    const subject = newSubject();
    await signInAt(new Browser(open), liar, subject);
    const browser = new Browser(open);
    await signInAt(browser, liar, { ...subject, email: "other@example.com", email_verified: false });
    expect(await browser.who()).toBe(subject.email);
  });

  test("an address that the provider tells at its userinfo endpoint alone counts as well", async () => {
    const { sub, email } = newSubject();
    const browser = new Browser(open);
    await signInAt(browser, liar, { sub }, { userInfo: { email, email_verified: "true" } });
    expect(await browser.who()).toBe(email);
  });

  test("a name that is none is replaced by the address up to the @", async () => {
    for (const name of ["\0", " ", 7, undefined, "a\nb"]) {
      const subject = newSubject({ name });
      const browser = new Browser(open);
      expect(await signInAt(browser, liar, subject)).toBe("/");
      expect((await browser.get("/auth/session")).json["person"]).toMatchObject({ name: subject.sub });
    }
  });

  test("an address outside of the domains is refused", async () => {
    const limited = await startWith({ mode: "open", domains: ["company.example"] });
    const subject = newSubject();
    expect(await signInAt(new Browser(limited), liar, subject)).toBe(refused("domain"));
    expect(await userOf(open, subject.email)).toBeUndefined();
    await limited.stop();
  });
});

describe("where sign-up is by invitation", () => {
  let invite: TestApi;
  beforeAll(async () => {
    invite = await startWith({ mode: "invite", domains: [] });
  });
  afterAll(() => invite?.stop());

  test("an address without an invitation is refused, and no account is left", async () => {
    const subject = newSubject();
    expect(await signInAt(new Browser(invite), liar, subject)).toBe(refused("invitation_needed"));
    expect(await userOf(open, subject.email)).toBeUndefined();
  });

  test("an invited address joins without a password, and the invitation's link is worthless then", async () => {
    const subject = newSubject();
    const token = await joinToken(invite, subject.email);
    const browser = new Browser(invite);
    expect(await signInAt(browser, liar, subject)).toBe("/");
    expect(await browser.who()).toBe(subject.email);
    const joined = await new Browser(invite).post("/auth/join", { token, name: "Eve", password: PASSWORD });
    expect(answer(joined)).toEqual([410, "link_invalid"]);
    await expect(joinToken(invite, subject.email)).rejects.toMatchObject({ code: "name_taken" });
  });

  test("an expired invitation, or one of another address, is none", async () => {
    const [late, other] = [newSubject(), newSubject()];
    await joinToken(invite, late.email);
    await open.database.query("update invitations_to_join set expires_at = now() where lower(email) = $1", [
      late.email,
    ]);
    // The operator has made the user with the invitation.
    expect(await signInAt(new Browser(invite), liar, late)).toBe(refused("address_taken"));
    expect(await signInAt(new Browser(invite), liar, other)).toBe(refused("invitation_needed"));
  });

  test("whoever is invited to a team joins, and accepts the invitation as a member; its link sets no password", async () => {
    const subject = newSubject();
    const { id, ownerIn } = await makeTeam(invite);
    await ownerIn.call("POST", `/api/teams/${id}/invitations`, { email: subject.email, role: "viewer" });
    const [mail] = await mailsTo(invite, subject.email);
    const browser = new Browser(invite);
    expect(await signInAt(browser, liar, subject)).toBe("/");
    const token = tokenOf(mail!.link);
    const joined = await new Browser(invite).post("/auth/join", { token, name: "Eve", password: PASSWORD });
    expect(answer(joined)).toEqual([410, "link_invalid"]);
    expect((await browser.post("/api/invitations/accept", { token })).status).toBe(200);
  });
});

test("where sign-up is closed, those whom the operator has invited join alone", async () => {
  const closed = await startWith({ mode: "closed", domains: [] });
  const [stranger, invited] = [newSubject(), newSubject()];
  expect(await signInAt(new Browser(closed), liar, stranger)).toBe(refused("closed"));
  expect(await userOf(open, stranger.email)).toBeUndefined();
  await joinToken(closed, invited.email);
  expect(await signInAt(new Browser(closed), liar, invited)).toBe("/");
  await closed.stop();
});

test("the sign-in page is told which providers there are, and nothing else of them", async () => {
  expect((await new Browser(open).get("/auth/ways")).json).toEqual({
    sign_up: "open",
    providers: [{ id: "liar", name: "Liar & Co" }],
  });
});

test("a sign-in leads to the page that was asked for, and never to another site", async () => {
  const subject = newSubject();
  for (const [wanted, page] of [
    ["/apps/web?tab=logs", "/apps/web?tab=logs"],
    ["//evil.example", "/"],
    ["https://evil.example", "/"],
    [`/${"x".repeat(3_000)}`, "/"],
  ] as const) {
    const browser = new Browser(open);
    const address = await beginAt(browser, liar, wanted);
    expect(placeOf(await browser.get(liar.signIn(address, subject)))).toBe(page);
  }
});

test("a second factor is asked for after the provider as after a password", async () => {
  const { subject, browser, email } = await addConnected();
  const { json } = await browser.post("/auth/second-factor", { password: PASSWORD });
  const secret = fromBase32(json["secret"] as string);
  const code = (ahead: number) => totpCode(secret, totpStep(new Date(Date.now() + ahead * 30_000)));
  expect((await browser.post("/auth/second-factor/confirm", { code: code(0) })).status).toBe(200);

  const visitor = new Browser(open);
  const place = await signInAt(visitor, liar, subject);
  expect([place.split("=")[0], await visitor.who()]).toEqual(["/sign-in#challenge", undefined]);
  const challenge = place.split("=")[1];
  const entered = await visitor.post("/auth/second-factor/answer", { challenge, code: code(1) });
  expect([entered.status, await visitor.who()]).toEqual([200, email]);
});

test("a connection asks for the password, is told by mail and is an entry of the audit log", async () => {
  const { browser, email, subject } = await addConnected();
  const mails = await mailsTo(open, email);
  expect(mails.at(-1)).toMatchObject({
    kind: "factor_changed",
    text: expect.stringContaining("Liar & Co was connected"),
  });
  expect(await auditOf(email)).toContain("provider.connect");
  const again = new Browser(open);
  expect([await signInAt(again, liar, subject), await again.who()]).toEqual(["/", email]);

  const twice = await browser.post("/auth/connections", { provider: "liar", password: PASSWORD });
  expect(answer(twice)).toEqual([400, "invalid_request"]);
  const stranger = await new Browser(open).join(newSubject().email);
  for (const password of ["wrong horse battery", "", undefined]) {
    const reply = await stranger.post("/auth/connections", { provider: "liar", password });
    expect(answer(reply)).toEqual([401, "credentials_invalid"]);
  }
  const unknown = await stranger.post("/auth/connections", { provider: "none", password: PASSWORD });
  expect(answer(unknown)).toEqual([404, "not_found"]);
});

test("an account at the provider is connected to one account here", async () => {
  const { subject, email } = await addConnected();
  const other = await new Browser(open).join(newSubject().email);
  const place = await connectAt(other, liar, { subject, password: PASSWORD });
  expect(place).toBe("/settings/profile?refused=connected_elsewhere");
  const browser = new Browser(open);
  await signInAt(browser, liar, subject);
  expect([await browser.who(), await connectionsOf(other)]).toEqual([email, []]);
});

test("disconnecting ends other sessions and waiting sign-ins, and the provider signs nobody in any more", async () => {
  const { subject, browser, email } = await addConnected();
  const elsewhere = new Browser(open);
  await signInAt(elsewhere, liar, subject);
  const [connection] = await connectionsOf(browser);
  const path = `/auth/connections/${connection!.id}/remove`;
  expect(answer(await browser.post(path, { password: "wrong horse battery" }))).toEqual([401, "credentials_invalid"]);
  const stranger = await new Browser(open).join(newSubject().email);
  expect(answer(await stranger.post(path, { password: PASSWORD }))).toEqual([404, "not_found"]);
  expect((await browser.post(path, { password: PASSWORD })).status).toBe(204);
  expect([await browser.who(), await elsewhere.who(), await connectionsOf(browser)]).toEqual([email, undefined, []]);
  expect(await signInAt(new Browser(open), liar, subject)).toBe(refused("address_taken"));
  expect((await mailsTo(open, email)).at(-1)?.text).toContain("Liar & Co was disconnected");
  expect(await auditOf(email)).toContain("provider.disconnect");
});

test("a provider stays connected after a reset of the password, and the mail about the reset names it", async () => {
  const { subject, email } = await addConnected();
  await new Browser(open).post("/auth/forgot", { email });
  await open.identity.settled();
  const { link } = (await mailsTo(open, email)).find(({ kind }) => kind === "reset")!;
  const reset = { token: tokenOf(link), password: "another long password" };
  expect((await new Browser(open).post("/auth/reset", reset)).status).toBe(204);
  expect((await mailsTo(open, email)).at(-1)).toMatchObject({
    kind: "ways_stay",
    text: expect.stringContaining("Provider 1: Liar & Co"),
  });
  const browser = new Browser(open);
  expect([await signInAt(browser, liar, subject), await browser.who()]).toEqual(["/", email]);
});

test("a connection is in the export of one's data, and goes with the account", async () => {
  const { browser, subject, email } = await addConnected();
  const { json } = await browser.get("/auth/export");
  expect(json["connections"]).toMatchObject([{ issuer: liar.provider.issuer, subject: subject.sub }]);
  const { id } = (await userOf(open, email))!;
  await beginAt(browser, liar);
  expect((await browser.post("/auth/delete", { password: PASSWORD })).status).toBe(204);
  const { rows } = await open.database.query("select 1 from accounts where user_id = $1", [id]);
  expect(rows).toEqual([]);
  // The subject is free, and so is the address.
  const newcomer = new Browser(open);
  expect(await signInAt(newcomer, liar, subject)).toBe("/");
  expect((await userOf(open, email))?.id).not.toBe(id);
});

test("sign-ins that were begun and never ended are deleted", async () => {
  await beginAt(new Browser(open), liar);
  await open.database.query("update oidc_attempts set expires_at = now() - interval '1 second'");
  await deleteExpiredIdentity(open.parts.db, 100);
  expect((await open.database.query("select 1 from oidc_attempts")).rows).toEqual([]);
});
