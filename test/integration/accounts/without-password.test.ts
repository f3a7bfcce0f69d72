import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { startLyingProvider, type LyingProvider } from "../../support/people/lying-provider.ts";
import { signInAt, userOf } from "../../support/people/oidc-world.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, PASSWORD, tokenOf } from "../../support/people/person.ts";

let liar: LyingProvider;
let open: TestApi;

beforeAll(async () => {
  liar = await startLyingProvider();
  open = await startTestApi({ signUp: { mode: "open", domains: [] }, oidc: { providers: [liar.provider] } });
});
afterAll(async () => {
  await open?.stop();
  await liar?.stop();
});

let people = 0;
function newSubject() {
  const sub = `subject-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true };
}
const answer = ({ status, json }: Reply) => [status, json["error"]];

async function connectionsOf(browser: Browser): Promise<{ id: string; name: string }[]> {
  return (await browser.get("/auth/connections")).json["connections"] as { id: string; name: string }[];
}

async function addNewcomer() {
  const subject = newSubject();
  const browser = new Browser(open);
  await signInAt(browser, liar, subject);
  const [connection] = await connectionsOf(browser);
  const disconnect = (body: object) => browser.post(`/auth/connections/${connection!.id}/remove`, body);
  return { subject, browser, email: subject.email, disconnect };
}

test("somebody without a password keeps the only way in, and disconnects it once they have set a password by mail", async () => {
  const { browser, email, disconnect } = await addNewcomer();
  const kept = await disconnect({});
  expect([...answer(kept), kept.json["detail"]]).toEqual([
    400,
    "invalid_request",
    'Your account would have neither a password nor a provider. Set a password first, with "Forgot your password?" on the page Sign in.',
  ]);
  await browser.post("/auth/forgot", { email });
  await open.identity.settled();
  const token = tokenOf((await mailsTo(open, email)).at(-1)!.link);
  expect((await new Browser(open).post("/auth/reset", { token, password: PASSWORD })).status).toBe(204);
  expect((await browser.signIn(email)).status).toBe(200);
  expect((await disconnect({ password: PASSWORD })).status).toBe(204);
});

test("somebody without a password keeps the last way in also beside one whose provider is not configured any more, which is shown by its host", async () => {
  const { browser, email, disconnect } = await addNewcomer();
  const { id } = (await userOf(open, email))!;
  await open.database.query(
    "insert into accounts (id, user_id, provider_id, account_id) values (gen_random_uuid(), $1, 'oidc:https://old.example/', 'ada')",
    [id],
  );
  expect(await connectionsOf(browser)).toMatchObject([{ name: "Liar & Co" }, { name: "old.example", provider: null }]);
  expect(answer(await disconnect({}))).toEqual([400, "invalid_request"]);
  const [, old] = await connectionsOf(browser);
  expect((await browser.post(`/auth/connections/${old!.id}/remove`)).status).toBe(204);
});

test("somebody without a password is told to set one where they would change it", async () => {
  const { browser } = await addNewcomer();
  for (const [path, more] of [["/auth/password", { new_password: "another long password" }]] as const) {
    const reply = await browser.post(path, { password: PASSWORD, ...more });
    expect([path, ...answer(reply), reply.json["detail"]]).toEqual([
      path,
      401,
      "credentials_invalid",
      'The account has no password yet. Set one with "Forgot your password?" on the page Sign in, and do this again.',
    ]);
  }
  expect(await browser.who()).toBeDefined();
});

test("somebody without a password changes ways in for 10 minutes after a sign-in alone", async () => {
  const { browser, email, disconnect } = await addNewcomer();
  await open.database.query(
    "update sessions set created_at = now() - interval '11 minutes' where user_id = (select id from users where email = $1)",
    [email],
  );
  for (const reply of [
    await disconnect({}),
    await browser.post("/auth/connections", { provider: "liar" }),
    await browser.post("/auth/address", { email: newSubject().email }),
    await browser.post("/auth/second-factor"),
    await browser.post("/auth/delete"),
  ]) {
    expect([reply.status, reply.json["detail"]]).toEqual([401, expect.stringContaining("10 minutes after a sign-in")]);
  }
});

test("somebody without a password who has just signed in deletes their account", async () => {
  const { browser, email } = await addNewcomer();
  expect((await browser.post("/auth/delete")).status).toBe(204);
  expect(await userOf(open, email)).toBeUndefined();
});

test("somebody without a password is signed in by no password at all", async () => {
  const { email } = await addNewcomer();
  for (const password of ["", "null", PASSWORD]) {
    expect(answer(await new Browser(open).signIn(email, password))).toEqual([401, "credentials_invalid"]);
  }
});
