import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { startLyingProvider, type Answer, type LyingProvider } from "../../support/people/lying-provider.ts";
import { beginAt, placeOf, refused, signInAt } from "../../support/people/oidc-world.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";
import { keepLogged } from "../../support/tools/logged.ts";

/** A provider that is late has this long; the real one has seconds. */
const timeoutMs = 400;

let liar: LyingProvider;
let http: TestApi;
/** A process that has just started: it knows nothing of the provider yet. */
let fresh: TestApi;
/** All that it has logged. */
let story: () => string;

beforeAll(async () => {
  liar = await startLyingProvider();
  http = await startTestApi();
});
beforeEach(async () => {
  const { log, logged } = keepLogged();
  story = () => JSON.stringify(logged);
  const oidc = { providers: [liar.provider], timeoutMs };
  fresh = await startTestApi({ database: http.database, signUp: { mode: "open", domains: [] }, oidc, log });
});
afterEach(async () => {
  liar.answer = undefined;
  liar.metadata = {};
  await fresh.stop();
});
afterAll(async () => {
  await http?.stop();
  await liar?.stop();
});

let people = 0;
function newSubject() {
  const sub = `subject-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true };
}

test("a provider that is down when the control plane starts is asked again, and signs people in when it is up", async () => {
  await liar.stop();
  expect(await beginAt(new Browser(fresh), liar)).toBe(refused("unreachable"));
  expect(story()).toContain("The connection was refused");
  const owner = await new Browser(fresh).join(newSubject().email);
  const connecting = await owner.post("/auth/connections", { provider: "liar", password: PASSWORD });
  expect([connecting.status, connecting.json]).toEqual([200, { redirect_to: "/settings/profile?refused=unreachable" }]);
  await liar.start();
  const browser = new Browser(fresh);
  expect(await signInAt(browser, liar, newSubject())).toBe("/");
});

test("the provider is asked for nothing until somebody comes, and once by all who come then", async () => {
  liar.asked.length = 0;
  expect((await new Browser(fresh).get("/auth/ways")).status).toBe(200);
  expect(liar.asked).toEqual([]);
  await Promise.all(Array.from({ length: 8 }, () => beginAt(new Browser(fresh), liar)));
  await beginAt(new Browser(fresh), liar);
  expect(liar.asked).toEqual(["/.well-known/openid-configuration"]);
});

const json = { "Content-Type": "application/json" };
const answers: readonly [string, Answer][] = [
  ["garbage", (_path, response) => void response.writeHead(200, json).end("<html>{")],
  ["a page", (_path, response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("<html>")],
  ["nothing", (_path, response) => void response.writeHead(204).end()],
  ["a fault", (_path, response) => void response.writeHead(500, json).end('{"error":"secret"}')],
  ["a status that is none", (_path, response) => void response.socket?.end("HTTP/1.1 999 No\r\n\r\n")],
  ["what is no HTTP", (_path, response) => void response.socket?.end("hello\r\n\r\n")],
  ["a closed connection", (_path, response) => void response.socket?.destroy()],
  [
    "half of what it announced",
    (_path, response) => {
      response.writeHead(200, { ...json, "Content-Length": 100 }).write("{");
      setImmediate(() => response.socket?.destroy());
    },
  ],
  ["a redirect", (_path, response) => void response.writeHead(302, { Location: "http://127.0.0.1:1/" }).end()],
  ["too much", (_path, response) => void response.writeHead(200, json).end(`"${"x".repeat(300 * 1024)}"`)],
  [
    "too much, without an end",
    (_path, response) => {
      response.writeHead(200, json);
      const more = (): void => void response.write("x".repeat(64 * 1024), (error) => error ?? more());
      more();
    },
  ],
  ["nothing, ever", () => undefined],
  [
    "a byte now and then",
    (_path, response) => {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    },
  ],
];

describe.each(answers)("a provider that answers with %s", (_name, answer) => {
  test("is said to be away when a sign-in begins", async () => {
    liar.answer = answer;
    expect(await beginAt(new Browser(fresh), liar)).toBe(refused("unreachable"));
    liar.answer = undefined;
    expect(await beginAt(new Browser(fresh), liar)).toContain(liar.provider.issuer);
  });

  test("is said to be away when a sign-in ends, and nobody is signed in", async () => {
    const browser = new Browser(fresh);
    const path = liar.signIn(await beginAt(browser, liar), newSubject());
    liar.answer = answer;
    const place = placeOf(await browser.get(path));
    // A fault of the token endpoint can have the form of an answer.
    expect([refused("unreachable"), refused("unproven")]).toContain(place);
    expect(browser.cookie).toBe("");
  });
});

test("a provider whose userinfo endpoint is away is said to be away", async () => {
  const { sub } = newSubject();
  const browser = new Browser(fresh);
  const path = liar.signIn(await beginAt(browser, liar), { sub });
  liar.before = async (at) => {
    if (at === "/userinfo") liar.answer = (_path, response) => void response.socket?.destroy();
  };
  expect(placeOf(await browser.get(path))).toBe(refused("unreachable"));
  liar.before = undefined;
});

test.each<[string, Record<string, unknown>]>([
  ["another issuer", { issuer: "https://evil.example" }],
  ["no sign-in page", { authorization_endpoint: undefined }],
  ["a sign-in page that is a script", { authorization_endpoint: "javascript:alert(1)" }],
  ["a sign-in page without TLS elsewhere", { authorization_endpoint: "http://evil.example/authorize" }],
])("metadata with %s lead nobody anywhere", async (_name, metadata) => {
  liar.metadata = metadata;
  expect(await beginAt(new Browser(fresh), liar)).toBe(refused("unproven"));
});

test.each<[string, string, string]>([
  ["without TLS", "http://127.0.0.1:1/", "http://127.0.0.1:1 is not an https:// address"],
  ["in the operator's network", "https://127.0.0.1:1/", "127.0.0.1 is loopback; only public addresses are reached"],
  ["of a cloud's metadata", "https://169.254.169.254/", "169.254.169.254 is link-local; only public addresses"],
])("the provider's own answers lead to no address %s", async (_name, address, reason) => {
  for (const endpoint of ["token_endpoint", "jwks_uri"]) {
    const { log, logged } = keepLogged();
    const oidc = { providers: [liar.provider], timeoutMs };
    const again = await startTestApi({ database: http.database, oidc, log });
    liar.metadata = { [endpoint]: address };
    expect(await signInAt(new Browser(again), liar, newSubject())).toBe(refused("unreachable"));
    expect(JSON.stringify(logged)).toContain(reason);
    await again.stop();
  }
});

test("a code and tokens are in no line of the log", async () => {
  const browser = new Browser(fresh);
  const path = liar.signIn(await beginAt(browser, liar), newSubject(), { key: "other" });
  await browser.get(path);
  expect(story()).toContain("a sign-in at a provider failed");
  for (const secret of [new URL(path, "http://x").searchParams.get("code")!, "eyJ", liar.provider.clientSecret]) {
    expect(story()).not.toContain(secret);
  }
});

test("a provider that is not configured any more is said to be unknown", async () => {
  for (const path of ["/auth/oidc/none", "/auth/oidc/none/callback?code=x&state=y", "/auth/oidc/%00"]) {
    expect(placeOf(await new Browser(fresh).get(path))).toBe(refused("unknown"));
  }
});
