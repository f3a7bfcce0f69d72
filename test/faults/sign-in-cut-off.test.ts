import { afterAll, beforeAll, expect, test } from "vitest";
import { totpCode, totpStep } from "@svc/control-plane/accounts/identity/second-factor/totp.ts";
import type { TestApi } from "../support/api/http.ts";
import { BASE_URL, startCutOffWorld, type Attempt, type CutOffWorld } from "../support/people/cut-off-world.ts";
import { beginAt } from "../support/people/oidc-world.ts";
import { mailsTo } from "../support/people/outbox.ts";
import { Browser, fromBase32, PASSWORD } from "../support/people/person.ts";
import { askedBy, SoftwarePasskey } from "../support/people/software-passkey.ts";

let world: CutOffWorld;
let cut: TestApi;
let http: TestApi;

beforeAll(async () => {
  world = await startCutOffWorld();
  ({ cut, http } = world);
});
afterAll(() => world?.stop());

async function withSecondFactor(email: string) {
  const browser = await new Browser(http).join(email);
  const { json } = await browser.post("/auth/second-factor", { password: PASSWORD });
  const secret = fromBase32(json["secret"] as string);
  const code = () => totpCode(secret, totpStep(world.now()));
  const confirm = (by: Browser) => by.post("/auth/second-factor/confirm", { code: code() });
  return { browser, code, confirm };
}
const attempts: Record<string, () => Promise<Attempt>> = {
  async "a sign-in"() {
    const email = world.newEmail();
    await new Browser(http).join(email);
    await http.database.query("delete from sessions");
    return {
      send: () => new Browser(cut).signIn(email),
      done: async () => ({
        session: await world.hasSession(email),
        told: await world.isMailed(email, "new_sign_in"),
      }),
      goOn: async () => expect(await world.canSignIn(email, PASSWORD)).toBe(true),
    };
  },
  async "a sign-out"() {
    const email = world.newEmail();
    const browser = world.atCut(await new Browser(http).join(email));
    return {
      send: () => browser.post("/auth/sign-out"),
      done: async () => ({
        ended: !(await world.hasSession(email)),
        audited: await world.isAudited(email, "session.end"),
      }),
    };
  },
  async "the end of all other sessions"() {
    const email = world.newEmail();
    const browser = world.atCut(await new Browser(http).join(email));
    await new Browser(http).signIn(email);
    return {
      send: () => browser.delete("/auth/sessions"),
      done: async () => ({
        ended: await world.isOne("select from sessions s join users u on u.id = s.user_id where u.email = $1", email),
        audited: await world.isAudited(email, "session.end_others"),
      }),
    };
  },
  async "turning a second factor on"() {
    const email = world.newEmail();
    const { browser, confirm } = await withSecondFactor(email);
    return {
      send: () => confirm(world.atCut(browser)),
      done: async () => ({
        on: await world.isOne("select from users where email = $1 and two_factor_enabled", email),
        audited: await world.isAudited(email, "second_factor.confirm"),
      }),
    };
  },
  async "the answer of a second factor"() {
    const email = world.newEmail();
    const { browser, code, confirm } = await withSecondFactor(email);
    expect((await confirm(browser)).status).toBe(200);
    world.later();
    await http.database.query("delete from sessions");
    const { challenge } = (await new Browser(http).signIn(email)).json;
    const answer = (api: TestApi) => new Browser(api).post("/auth/second-factor/answer", { challenge, code: code() });
    return {
      send: () => answer(cut),
      done: async () => ({ session: await world.hasSession(email) }),
      async goOn() {
        // The code may be used up: the next one is not, and neither is the sign-in.
        world.later();
        const reply = await new Browser(http).signIn(email);
        const again = { challenge: reply.json["challenge"], code: code() };
        expect((await new Browser(http).post("/auth/second-factor/answer", again)).status).toBe(200);
      },
    };
  },
  async "a sign-in with a passkey"() {
    const email = world.newEmail();
    const passkey = new SoftwarePasskey(BASE_URL);
    const browser = await new Browser(http).join(email);
    const { ticket, options } = askedBy(await browser.post("/auth/passkeys/begin", { password: PASSWORD }));
    expect((await browser.post("/auth/passkeys", { ticket, name: "x", answer: passkey.make(options) })).status).toBe(
      201,
    );
    await http.database.query("delete from sessions");
    const signIn = async (api: TestApi) => {
      const asked = askedBy(await new Browser(http).post("/auth/sign-in/passkey/begin"));
      const answer = passkey.sign(asked.options);
      return () => new Browser(api).post("/auth/sign-in/passkey", { ticket: asked.ticket, answer });
    };
    return {
      isOnce: true,
      send: await signIn(cut),
      done: async () => ({ session: await world.hasSession(email) }),
      goOn: async () => expect((await (await signIn(http))()).status).toBe(200),
    };
  },
  async "the addition of a passkey"() {
    const email = world.newEmail();
    const passkey = new SoftwarePasskey(BASE_URL);
    const browser = await new Browser(http).join(email);
    const { ticket, options } = askedBy(await browser.post("/auth/passkeys/begin", { password: PASSWORD }));
    const send = () =>
      world.atCut(browser).post("/auth/passkeys", { ticket, name: "x", answer: passkey.make(options) });
    return {
      send,
      done: async () => ({
        added: await world.isOne("select from passkeys p join users u on u.id = p.user_id where u.email = $1", email),
        told: (await mailsTo(http, email)).length === 1,
      }),
    };
  },
  async "a sign-in at a provider"() {
    const email = world.newEmail();
    const subject = { sub: email, email, email_verified: true, name: "Ann" };
    const browser = new Browser(cut);
    const path = world.liar.signIn(await beginAt(browser, world.liar), subject);
    return {
      isOnce: true,
      send: () => browser.get(path),
      done: async () => ({
        session: await world.hasSession(email),
        account: await world.isOne("select from accounts where account_id = $1", email),
        user: await world.isOne("select from users where email = $1", email),
      }),
      async goOn() {
        const again = new Browser(http);
        expect((await again.get(world.liar.signIn(await beginAt(again, world.liar), subject))).status).toBe(302);
        expect(await again.who()).toBe(email);
      },
    };
  },
};

test.each(Object.entries(attempts))(
  "%s that loses its database at any statement is done or not done, and the person can go on",
  async (_name, begin) => expect(await world.loseAtEachStatement(begin)).toBeGreaterThan(5),
);
