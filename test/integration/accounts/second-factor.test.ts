import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { totpCode, totpStep } from "@svc/control-plane/accounts/identity/second-factor/totp.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, fromBase32, PASSWORD, tokenOf } from "../../support/people/person.ts";

let http: TestApi;
let now = new Date("2026-01-01T00:00:00Z");

beforeAll(async () => {
  http = await startTestApi({ clock: { ...systemClock, now: () => now } });
});
afterAll(() => http?.stop());

let people = 0;
const answer = ({ status, json }: Reply) => [status, json["error"]];
const later = () => (now = new Date(now.getTime() + 30_000));

/** Somebody with a second factor, who is signed in. */
async function addProtected() {
  const email = `grace${++people}@example.com`;
  const browser = await new Browser(http).join(email);
  const { json } = await browser.post("/auth/second-factor", { password: PASSWORD });
  const secret = fromBase32(json["secret"] as string);
  expect(json["uri"]).toContain(
    `otpauth://totp/127.0.0.1:grace${people}%40example.com?secret=${json["secret"] as string}`,
  );
  const code = () => totpCode(secret, totpStep(now));
  const confirmed = await browser.post("/auth/second-factor/confirm", { code: code() });
  expect(confirmed.status).toBe(200);
  later();
  return { email, browser, code, recoveryCodes: confirmed.json["recovery_codes"] as string[] };
}

async function challenge(email: string): Promise<{ browser: Browser; challenge: string }> {
  const browser = new Browser(http);
  const reply = await browser.signIn(email);
  expect([reply.status, browser.cookie]).toEqual([200, ""]);
  return { browser, challenge: reply.json["challenge"] as string };
}

async function enter(email: string, code: string): Promise<{ browser: Browser; reply: Reply }> {
  const { browser, challenge: asked } = await challenge(email);
  return { browser, reply: await browser.post("/auth/second-factor/answer", { challenge: asked, code }) };
}

test("a password alone opens no session any more, and a code opens one", async () => {
  const { email, code } = await addProtected();
  const { browser, reply } = await enter(email, code());
  expect([reply.status, await browser.who()]).toEqual([200, email]);
  expect((await browser.get("/auth/session")).json["person"]).toMatchObject({ second_factor: true });
});

test("an account with a second factor is deleted with a code, and not with the password alone", async () => {
  const { browser, code } = await addProtected();
  expect(answer(await browser.post("/auth/delete", { password: PASSWORD }))).toEqual([401, "credentials_invalid"]);
  expect(await browser.who()).toBeDefined();
  expect((await browser.post("/auth/delete", { password: PASSWORD, code: code() })).status).toBe(204);
});

test("a secret that was read before the password was changed is worth nothing, nor a session that this has ended", async () => {
  const email = `grace${++people}@example.com`;
  const [owner, thief] = [await new Browser(http).join(email), new Browser(http)];
  await thief.signIn(email);
  const { json } = await thief.post("/auth/second-factor", { password: PASSWORD });
  const code = totpCode(fromBase32(json["secret"] as string), totpStep(now));
  const next = { password: PASSWORD, new_password: "another long password" };
  expect((await owner.post("/auth/password", next)).status).toBe(204);
  expect(answer(await thief.post("/auth/second-factor/confirm", { code }))).toEqual([401, "unauthorized"]);
  expect(answer(await owner.post("/auth/second-factor/confirm", { code }))).toEqual([401, "credentials_invalid"]);
});

test("a code is accepted once, also of several requests at a time", async () => {
  const { email, code } = await addProtected();
  const asked = await Promise.all(Array.from({ length: 4 }, () => challenge(email)));
  const replies = await Promise.all(
    asked.map((one) => one.browser.post("/auth/second-factor/answer", { challenge: one.challenge, code: code() })),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
});

test("the code that turned the second factor on signs nobody in", async () => {
  const browser = await new Browser(http).join("early@example.com");
  const { json } = await browser.post("/auth/second-factor", { password: PASSWORD });
  const code = totpCode(fromBase32(json["secret"] as string), totpStep(now));
  await browser.post("/auth/second-factor/confirm", { code });
  expect(answer((await enter("early@example.com", code)).reply)).toEqual([401, "credentials_invalid"]);
});

test("a recovery code is accepted once, however it is typed", async () => {
  const { email, recoveryCodes } = await addProtected();
  expect(new Set(recoveryCodes).size).toBe(10);
  const [first = ""] = recoveryCodes;
  expect((await enter(email, ` ${first.toLowerCase().replaceAll("-", "")} `)).reply.status).toBe(200);
  expect(answer((await enter(email, first)).reply)).toEqual([401, "credentials_invalid"]);
});

test("codes are guessed five times, not more", async () => {
  const { email } = await addProtected();
  const asked = await challenge(email);
  const statuses: number[] = [];
  for (let index = 0; index < 6; index++) {
    const { status } = await asked.browser.post("/auth/second-factor/answer", {
      challenge: asked.challenge,
      code: "000000",
    });
    statuses.push(status);
  }
  // One was used when the factor was turned on.
  expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
});

test("whoever has a session and not the password uses up no attempts of its owner's codes", async () => {
  const { email, browser, code } = await addProtected();
  for (const path of ["/auth/second-factor/remove", "/auth/delete"]) {
    for (let index = 0; index < 3; index++) {
      expect((await browser.post(path, { password: "wrong horse battery", code: "000000" })).status).toBe(401);
    }
  }
  expect((await enter(email, code())).reply.status).toBe(200);
});

test("a challenge is answered once, and ends with the password", async () => {
  const { email, code } = await addProtected();
  const asked = await challenge(email);
  const replyTo = () => asked.browser.post("/auth/second-factor/answer", { challenge: asked.challenge, code: code() });
  const waiting = await challenge(email);
  expect((await replyTo()).status).toBe(200);
  later();
  expect(answer(await replyTo())).toEqual([401, "credentials_invalid"]);

  await new Browser(http).post("/auth/forgot", { email });
  await http.identity.settled();
  const { link } = (await mailsTo(http, email)).find(({ kind }) => kind === "reset")!;
  const reset = await new Browser(http).post("/auth/reset", {
    token: tokenOf(link),
    password: "another long password",
  });
  expect(reset.status).toBe(204);
  const late = await waiting.browser.post("/auth/second-factor/answer", { challenge: waiting.challenge, code: code() });
  expect(answer(late)).toEqual([401, "credentials_invalid"]);
});

test("the second factor is removed with the password and a code, and replaced only after that", async () => {
  const { email, browser, code } = await addProtected();
  expect(answer(await browser.post("/auth/second-factor", { password: PASSWORD }))).toEqual([400, "invalid_request"]);
  const remove = (password: string, given: string) =>
    browser.post("/auth/second-factor/remove", { password, code: given });
  expect((await remove(PASSWORD, "000000")).status).toBe(401);
  expect((await remove("wrong horse battery", code())).status).toBe(401);
  expect((await remove(PASSWORD, code())).status).toBe(204);
  const again = new Browser(http);
  expect([(await again.signIn(email)).status, await again.who()]).toEqual([200, email]);
});

test("turning it on ends the sessions that were opened without it", async () => {
  const email = "lin@example.com";
  const browser = await new Browser(http).join(email);
  const phone = new Browser(http);
  await phone.signIn(email);
  const { json } = await browser.post("/auth/second-factor", { password: PASSWORD });
  const code = totpCode(fromBase32(json["secret"] as string), totpStep(now));
  expect((await browser.post("/auth/second-factor/confirm", { code })).status).toBe(200);
  expect([await browser.who(), await phone.who()]).toEqual([email, undefined]);
});
