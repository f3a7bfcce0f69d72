import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { startLyingProvider, type LyingProvider } from "../../support/people/lying-provider.ts";
import { connectAt, placeOf, refused, userOf } from "../../support/people/oidc-world.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";

let liar: LyingProvider;
let http: TestApi;
/** Another process of the same installation. */
let other: TestApi;

beforeAll(async () => {
  liar = await startLyingProvider();
  const oidc = { providers: [liar.provider] };
  http = await startTestApi({ oidc });
  other = await startTestApi({ oidc, database: http.database });
});
afterAll(async () => {
  await other?.stop();
  await http?.stop();
  await liar?.stop();
});

let people = 0;
function newSubject() {
  const sub = `eve-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true };
}

async function beginConnection(browser: Browser): Promise<string> {
  const { json } = await browser.post("/auth/connections", { provider: "liar", password: PASSWORD });
  return json["redirect_to"] as string;
}

test("a connection that somebody else has begun is never made in another's browser", async () => {
  const [attacker, victim] = [newSubject(), newSubject()];
  const thief = await new Browser(http).join(attacker.email);
  const browser = await new Browser(http).join(victim.email);
  const path = liar.signIn(await beginConnection(thief), { sub: "thief's" });
  expect(placeOf(await browser.get(path))).toBe(refused("expired"));
  expect((await userOf(http, victim.email))?.ways).toEqual(["credential"]);
});

test("a connection that was begun before somebody else signed in is not made", async () => {
  const [first, next] = [newSubject(), newSubject()];
  const browser = await new Browser(http).join(first.email);
  await new Browser(http).join(next.email);
  const path = liar.signIn(await beginConnection(browser), first);
  await browser.signIn(next.email);
  expect(placeOf(await browser.get(path))).toBe("/settings/profile?refused=signed_out");
  for (const { email } of [first, next]) expect((await userOf(http, email))?.ways).toEqual(["credential"]);
});

test("a connection that was begun with the old password is not made after a new one, also in the session that goes on", async () => {
  const subject = newSubject();
  const browser = await new Browser(http).join(subject.email);
  const path = liar.signIn(await beginConnection(browser), subject);
  const changed = { password: PASSWORD, new_password: "another long password" };
  expect((await browser.post("/auth/password", changed)).status).toBe(204);
  expect(placeOf(await browser.get(path))).toBe(refused("expired"));
  expect((await userOf(http, subject.email))?.ways).toEqual(["credential"]);
});

test("a connection is not made when the session ended while the provider took its time", async () => {
  const subject = newSubject();
  const browser = await new Browser(http).join(subject.email);
  const path = liar.signIn(await beginConnection(browser), subject);
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  liar.before = async (at) => {
    if (at !== "/token") return;
    isAsked();
    await mayAnswer;
  };
  const coming = browser.get(path);
  await asked;
  const elsewhere = new Browser(http);
  await elsewhere.signIn(subject.email);
  expect((await elsewhere.delete("/auth/sessions")).json).toEqual({ ended: 1 });
  letAnswer();
  expect(placeOf(await coming)).toBe("/settings/profile?refused=signed_out");
  liar.before = undefined;
  expect((await userOf(http, subject.email))?.ways).toEqual(["credential"]);
});

test("a connection that two people make of one account at a time is one person's", async () => {
  const subject = newSubject();
  const places = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const browser = await new Browser(index % 2 ? http : other).join(newSubject().email);
      return connectAt(browser, liar, { subject, password: PASSWORD });
    }),
  );
  const rest = Array<string>(3).fill("/settings/profile?refused=connected_elsewhere");
  expect(places.toSorted()).toEqual(["/settings/profile", ...rest]);
});

test("a connection is begun by no other site's page, and without a session by nobody", async () => {
  const browser = await new Browser(http).join(newSubject().email);
  const body = JSON.stringify({ provider: "liar", password: PASSWORD });
  const forged = await browser.send("POST", "/auth/connections", body, { Origin: "https://evil.example" });
  expect(forged.json["error"]).toBe("origin_refused");
  for (const reply of [
    await new Browser(http).post("/auth/connections", JSON.parse(body)),
    await new Browser(http).get("/auth/connections"),
  ]) {
    expect(reply.status).toBe(401);
  }
});
