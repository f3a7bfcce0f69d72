import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import {
  startLyingProvider,
  type Lies,
  type LyingProvider,
  type Subject,
} from "../../support/people/lying-provider.ts";
import { beginAt, placeOf, refused, signInAt, userOf } from "../../support/people/oidc-world.ts";
import { Browser } from "../../support/people/person.ts";

let liar: LyingProvider;
let second: LyingProvider;
let http: TestApi;
/** Another process of the same installation. */
let other: TestApi;

beforeAll(async () => {
  [liar, second] = await Promise.all([startLyingProvider(), startLyingProvider("second")]);
  const options = {
    signUp: { mode: "open", domains: [] },
    oidc: { providers: [liar.provider, second.provider] },
  } as const;
  http = await startTestApi(options);
  other = await startTestApi({ ...options, database: http.database });
});
afterAll(async () => {
  await other?.stop();
  await http?.stop();
  await Promise.all([liar?.stop(), second?.stop()]);
});

let people = 0;
function newSubject(more: Partial<Subject> = {}): Subject & { email: string } {
  const sub = `eve-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, ...more };
}

const soon = () => Math.floor(Date.now() / 1000) + 60;

describe("an ID token", () => {
  test.each<[string, () => Lies]>([
    ["of another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    ["for another client", () => ({ claims: { aud: "other" } })],
    ["for several clients, of whom another one asked", () => ({ claims: { aud: ["svc", "other"], azp: "other" } })],
    ["of another sign-in, by its nonce", () => ({ claims: { nonce: "x".repeat(43) } })],
    ["without a nonce", () => ({ claims: { nonce: undefined } })],
    ["that has expired", () => ({ claims: { exp: soon() - 600 } })],
    ["without an end", () => ({ claims: { exp: undefined } })],
    ["that begins later", () => ({ claims: { nbf: soon() + 600 } })],
    ["without a signature", () => ({ key: "none" })],
    ["signed with another key", () => ({ key: "other" })],
    ["signed with the public key as a secret", () => ({ key: "public", alg: "HS256" })],
    ["whose algorithm is none, with a signature", () => ({ alg: "none" })],
    ["of an algorithm that is none", () => ({ alg: "XX999" })],
    ["without a subject", () => ({ claims: { sub: undefined } })],
    ["whose subject is empty", () => ({ claims: { sub: "" } })],
    ["whose subject no database holds", () => ({ claims: { sub: "a\0b" } })],
    ["whose subject is longer than the standard has it", () => ({ claims: { sub: "x".repeat(256) } })],
  ])("%s signs nobody in", async (_name, lies) => {
    const subject = newSubject();
    await signInAt(new Browser(http), liar, subject);
    const browser = new Browser(http);
    expect(await signInAt(browser, liar, subject, lies())).toBe(refused("unproven"));
    expect([browser.cookie, await browser.who()]).toEqual(["", undefined]);
  });
});

describe("a callback", () => {
  /** Somebody who has been at the provider, and not come back yet. */
  async function comeBack(lies: Lies = {}) {
    const [browser, subject] = [new Browser(http), newSubject()];
    const path = liar.signIn(await beginAt(browser, liar), subject, lies);
    return { browser, subject, path };
  }

  test("in another browser signs nobody in, with a cookie of its own or without one", async () => {
    const { browser, subject, path } = await comeBack();
    const victim = new Browser(http);
    expect(placeOf(await victim.get(path))).toBe(refused("expired"));
    await beginAt(victim, liar);
    expect(placeOf(await victim.get(path))).toBe(refused("expired"));
    expect(await victim.who()).toBeUndefined();
    // The one that has begun it still can.
    expect([placeOf(await browser.get(path)), await browser.who()]).toEqual(["/", subject.email]);
  });

  test("that is replayed signs nobody in, also with the cookie of the first one", async () => {
    const { browser, path } = await comeBack();
    const thief = new Browser(http);
    thief.cookie = browser.cookie;
    expect(placeOf(await browser.get(path))).toBe("/");
    expect([placeOf(await thief.get(path)), await thief.who()]).toEqual([refused("expired"), undefined]);
  });

  test("counts once of twenty at the same time, over two processes", async () => {
    const { browser, path } = await comeBack();
    const places = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const same = new Browser(index % 2 ? http : other);
        same.cookie = browser.cookie;
        return placeOf(await same.get(path));
      }),
    );
    expect(places.toSorted()).toEqual(["/", ...Array<string>(19).fill(refused("expired"))]);
  });

  test.each<[string, Record<string, string>]>([
    ["another state", { state: "x".repeat(43) }],
    ["an empty state", { state: "" }],
    ["a state that is longer", { state: "x".repeat(4_000) }],
  ])("with %s signs nobody in, and leaves what was begun", async (_name, query) => {
    const { browser, path } = await comeBack();
    const wrong = new URLSearchParams({ ...Object.fromEntries(new URL(path, "http://x").searchParams), ...query });
    expect(placeOf(await browser.get(`/auth/oidc/liar/callback?${wrong}`))).toBe(refused("expired"));
    expect(placeOf(await browser.get(path))).toBe("/");
  });

  test.each<[string, Record<string, string>]>([
    ["of another issuer (RFC 9207)", { iss: "https://evil.example" }],
    ["without the issuer that the provider announces (RFC 9207)", { iss: "" }],
    ["with a code that the provider does not know", { code: "x" }],
    ["with a token in the place of a code", { code: "", id_token: "a.b.c" }],
    ["with an error of the provider", { error: "server_error", error_description: "<script>" }],
  ])("%s signs nobody in", async (_name, query) => {
    const { browser, path } = await comeBack({ query });
    expect(placeOf(await browser.get(path))).toBe(refused("unproven"));
    expect(await browser.who()).toBeUndefined();
  });

  test("of one provider is none of another", async () => {
    const browser = new Browser(http);
    const path = liar.signIn(await beginAt(browser, liar), newSubject());
    expect(placeOf(await browser.get(path.replace("/liar/", "/second/")))).toBe(refused("expired"));
    expect(await browser.who()).toBeUndefined();
  });

  test("that comes after ten minutes signs nobody in", async () => {
    const { browser, path } = await comeBack();
    await http.database.query("update oidc_attempts set expires_at = now()");
    expect(placeOf(await browser.get(path))).toBe(refused("expired"));
  });

  test("of somebody who canceled says so", async () => {
    const { browser, path } = await comeBack({ query: { error: "access_denied", code: "" } });
    expect(placeOf(await browser.get(path))).toBe(refused("denied"));
  });

  test("leaves a session that was there when it fails, and replaces it when it succeeds", async () => {
    const browser = await new Browser(http).join(newSubject().email);
    const [before, subject] = [browser.cookie, newSubject()];
    await signInAt(browser, liar, subject, { key: "other" });
    expect(browser.cookie).toBe(before);
    await signInAt(browser, liar, subject);
    expect(await browser.who()).toBe(subject.email);
    const old = new Browser(http);
    old.cookie = before;
    expect(await old.who()).toBeUndefined();
  });
});

test("the same subject at another provider is somebody else", async () => {
  const subject = newSubject();
  await signInAt(new Browser(http), liar, subject);
  const browser = new Browser(http);
  expect(await signInAt(browser, second, { ...subject, email: "impostor@example.com" })).toBe("/");
  expect(await browser.who()).toBe("impostor@example.com");
});

test("an address that has an account is never connected by itself, also when the provider confirms it", async () => {
  const subject = newSubject();
  const owner = await new Browser(http).join(subject.email);
  for (const email of [subject.email, subject.email.toUpperCase()]) {
    const visitor = new Browser(http);
    expect(await signInAt(visitor, liar, { ...subject, email })).toBe(refused("address_taken"));
    expect(await visitor.who()).toBeUndefined();
  }
  // Nor for somebody who is signed in, unless they have begun it on their profile.
  expect(await signInAt(owner, liar, subject)).toBe(refused("address_taken"));
  expect((await userOf(http, subject.email))?.ways).toEqual(["credential"]);
});

test("a user whom the operator has made, and who was not invited, is not taken over", async () => {
  const subject = newSubject();
  await http.database.query("insert into users (id, email, tier) values (gen_random_uuid(), $1, 'free')", [
    subject.email,
  ]);
  expect(await signInAt(new Browser(http), liar, subject)).toBe(refused("address_taken"));
  expect((await userOf(http, subject.email))?.ways).toEqual([]);
});

test("an address that the provider does not confirm is refused alike, whether or not it has an account", async () => {
  const known = newSubject();
  await new Browser(http).join(known.email);
  for (const verified of [false, undefined, "false", 1, null, "yes"]) {
    for (const email of [known.email, newSubject().email]) {
      const browser = new Browser(http);
      const place = await signInAt(browser, liar, newSubject({ email, email_verified: verified }));
      expect([email, verified, place, browser.cookie]).toEqual([email, verified, refused("no_address"), ""]);
      if (email !== known.email) expect(await userOf(http, email)).toBeUndefined();
    }
  }
});

test("an address is not confirmed by a word about another one", async () => {
  const subject = newSubject();
  // The ID token has an address without a word, and the userinfo endpoint a word without an address.
  const lies = { claims: { email: subject.email }, userInfo: { email_verified: true } };
  expect(await signInAt(new Browser(http), liar, subject, lies)).toBe(refused("no_address"));
  const elsewhere = { userInfo: { sub: "somebody else", email: subject.email, email_verified: true } };
  expect(await signInAt(new Browser(http), liar, subject, elsewhere)).toBe(refused("unproven"));
  expect(await userOf(http, subject.email)).toBeUndefined();
});

test("what is no address makes no account", async () => {
  for (const email of ["", "ada", "a@b@c", "ada@example.com\n", "\0@example.com", "K".repeat(300) + "@example.com"]) {
    expect(await signInAt(new Browser(http), liar, newSubject({ email }))).toBe(refused("no_address"));
  }
});

test("of one person who signs in for the first time twice at a time, one account is made", async () => {
  const subject = newSubject();
  const browsers = Array.from({ length: 6 }, (_, index) => new Browser(index % 2 ? http : other));
  const places = await Promise.all(browsers.map((browser) => signInAt(browser, liar, subject)));
  expect(places).toEqual(Array(6).fill("/"));
  for (const browser of browsers) expect(await browser.who()).toBe(subject.email);
  expect((await userOf(http, subject.email))?.ways).toEqual([`oidc:${liar.provider.issuer}`]);
});

test("sign-ins at a provider are limited by network address over all processes, and end on the page that says so", async () => {
  const places: string[] = [];
  for (let index = 0; index < 62; index++) {
    const browser = new Browser(index % 2 ? http : other, { address: `2001:db8:7:7::${index + 1}` });
    places.push(await beginAt(browser, liar, "/apps/web"));
  }
  expect(places.filter((place) => place.startsWith("http")).length).toBeGreaterThanOrEqual(60);
  expect(places.at(-1)).toBe("/sign-in?to=%2Fapps%2Fweb&refused=too_many");
});

test("pages of other sites begin no sign-in, and use up no attempts of whoever looks at them", async () => {
  const browser = new Browser(http);
  const others: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image" },
    // An app that is served under a name of the same site.
    { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "document" },
    { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "iframe" },
  ];
  for (const headers of others) {
    for (let index = 0; index < 30; index++) {
      expect(placeOf(await browser.get("/auth/oidc/liar?to=/new", headers))).toBe("/sign-in?to=%2Fnew");
      const callback = "/auth/oidc/liar/callback?code=x&state=x";
      expect(placeOf(await browser.get(callback, headers))).toBe(refused("expired"));
    }
  }
  expect(browser.cookie).toBe("");
  const own = { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "document" };
  expect(placeOf(await browser.get("/auth/oidc/liar", own))).toContain(`${liar.provider.issuer}authorize`);
});

test("the cookie of a sign-in is for this host, HTTP and its browser alone, and goes with the callback", async () => {
  const secure = await startTestApi({
    database: http.database,
    baseUrl: "https://svc.example.com",
    oidc: { providers: [liar.provider] },
  });
  const browser = new Browser(secure);
  const begun = await browser.get("/auth/oidc/liar");
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-svc_oidc=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ]);
  const address = new URL(placeOf(begun));
  expect(address.searchParams.get("redirect_uri")).toBe("https://svc.example.com/auth/oidc/liar/callback");
  const secrets = browser.cookie.split("=")[1]!;
  expect(address.href).not.toContain(secrets);
  const back = await browser.get(liar.signIn(address.href, newSubject(), { key: "other" }));
  expect(back.headers.getSetCookie()).toEqual(["__Host-svc_oidc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure"]);
  await secure.stop();
});
