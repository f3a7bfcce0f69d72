import { afterAll, beforeAll, expect, test } from "vitest";
import { identityRoutes } from "@svc/control-plane/accounts/identity/identity.routes.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
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
const newEmail = () => `eve${++people}@example.com`;
const answer = ({ status, json }: Reply) => [status, json["error"]];
const changing = identityRoutes.filter(({ method }) => method !== "get");
const pathOf = ({ path }: { path: string }) => path.replace("{id}", crypto.randomUUID());

test("passwords for one account are limited over all processes and addresses, also where there is no account", async () => {
  for (const email of [newEmail(), newEmail()]) {
    if (email.startsWith("eve1@")) await new Browser(http).join(email);
    const attempts = Array.from({ length: 14 }, (_, index) =>
      new Browser(index % 2 ? http : other).signIn(email, "wrong horse battery"),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect([email, statuses.toSorted()]).toEqual([email, [...Array<number>(10).fill(401), 429, 429, 429, 429]]);
    const refused = await new Browser(http).signIn(email);
    expect(answer(refused)).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  }
});

test("whoever uses up the sign-ins of an address leaves its owner, who is signed in, what is done with a password", async () => {
  const email = newEmail();
  const owner = await new Browser(http).join(email);
  for (let attempt = 0; attempt < 11; attempt++) await new Browser(http).signIn(email, "wrong horse battery");
  expect((await new Browser(http).signIn(email)).status).toBe(429);
  const next = { password: PASSWORD, new_password: "another long password" };
  expect((await owner.post("/auth/password", next)).status).toBe(204);
});

test("one network address is limited over all processes, whatever it tries", async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 62; index++) {
    // Other addresses of the same network.
    const browser = new Browser(index % 2 ? http : other, { address: `2001:db8:9:9::${index + 1}` });
    statuses.push((await browser.post("/auth/verify", { token: "x" })).status);
  }
  expect([statuses.filter((status) => status === 410).length >= 60, statuses.at(-1)]).toEqual([true, 429]);
  expect((await new Browser(http).post("/auth/verify", { token: "x" })).status).toBe(410);
});

test("mails to one address are limited", async () => {
  const email = newEmail();
  const statuses: number[] = [];
  for (let index = 0; index < 4; index++) {
    statuses.push((await new Browser(http).post("/auth/forgot", { email })).status);
  }
  expect(statuses).toEqual([202, 202, 202, 429]);
});

test("no way in takes a form, a request without an origin, or one of another site", async () => {
  const browser = await new Browser(http).join(newEmail());
  for (const route of changing) {
    const send = (headers: Record<string, string>, body = "{}") =>
      browser.send(route.method.toUpperCase(), pathOf(route), body, headers);
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    expect([route.path, ...answer(await send(form, "email=a"))]).toEqual([route.path, 415, "unsupported_media_type"]);
    expect((await send({ "Content-Type": "text/plain" })).status).toBe(415);
    expect((await send({ "Content-Type": "application/jsonx" })).status).toBe(415);
    for (const Origin of ["https://evil.example", "null", "", "http://127.0.0.1:81", "http://127.0.0.1.evil.example"]) {
      expect([route.path, Origin, ...answer(await send({ Origin }))]).toEqual([
        route.path,
        Origin,
        403,
        "origin_refused",
      ]);
    }
  }
  expect(await browser.who()).toBeDefined();
});

test("a page of another origin reads nothing personal, and uses up nobody's attempts", async () => {
  const ada = await new Browser(http).join(newEmail());
  const reads = identityRoutes.filter(({ method, faultPage }) => method === "get" && faultPage === undefined);
  expect(reads.length).toBeGreaterThan(3);
  for (const route of reads) {
    for (const site of ["cross-site", "same-site"]) {
      const reply = await ada.get(pathOf(route), { "Sec-Fetch-Site": site, "Sec-Fetch-Dest": "document" });
      expect([route.path, ...answer(reply)]).toEqual([route.path, 403, "origin_refused"]);
    }
  }
  for (let time = 0; time < 10; time++) await ada.get("/auth/export", { "Sec-Fetch-Site": "same-site" });
  expect((await ada.get("/auth/export", { "Sec-Fetch-Site": "same-origin" })).status).toBe(200);
});

test("a page of another site reads no app as the person, and leaves no entry that they looked", async () => {
  const ada = await new Browser(http).join(newEmail());
  await ada.post("/api/apps", { name: "seen", repo_url: "https://github.com/ada/seen" });
  await ada.send("PUT", "/api/apps/seen/env", JSON.stringify({ env: { SECRET: "x" } }));
  for (const path of ["/api/apps", "/api/apps/seen/env", "/api/apps/seen/logs?follow=1"]) {
    for (const site of ["cross-site", "same-site"]) {
      const reply = await ada.get(path, { "Sec-Fetch-Site": site });
      expect([path, ...answer(reply)]).toEqual([path, 403, "origin_refused"]);
    }
  }
  const looks = () => http.database.query("select 1 from audit_log where action = 'env.read'");
  expect((await looks()).rows).toEqual([]);
  // An address that somebody writes into the browser is theirs to read.
  expect((await ada.get("/api/apps/seen/env", { "Sec-Fetch-Site": "none" })).status).toBe(200);
  expect((await looks()).rows).toHaveLength(1);
});

test("nothing personal is told or done without a session", async () => {
  for (const path of ["/auth/session", "/auth/sessions"]) {
    const reply = await new Browser(http).get(path);
    expect([reply.status, reply.text]).toEqual([401, '{"error":"unauthorized"}']);
  }
  const bodies = { password: PASSWORD, new_password: "another long password" };
  expect((await new Browser(http).post("/auth/password", bodies)).status).toBe(401);
  expect((await new Browser(http).delete("/auth/sessions")).status).toBe(401);
  expect((await new Browser(http).post("/auth/second-factor", { password: PASSWORD })).status).toBe(401);
});

test("the library's own endpoints do not exist", async () => {
  const browser = await new Browser(http).join(newEmail());
  const paths = ["get-session", "list-sessions", "sign-in/email", "sign-up/email", "update-user", "svc/open-session"];
  for (const path of [...paths, "reset-password/x", "verify-email", "ok", "error", "delete-user", "change-email"]) {
    for (const reply of [await browser.get(`/auth/${path}`), await browser.post(`/auth/${path}`)]) {
      expect([path, ...answer(reply)]).toEqual([path, 404, "not_found"]);
    }
  }
});

test("a link in a mail leads to the service's own address, whatever the request says its host is", async () => {
  const email = newEmail();
  const browser = await new Browser(http).join(email);
  const lies = { Host: "evil.example", "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" };
  await browser.send("POST", "http://evil.example/auth/forgot", JSON.stringify({ email }), lies);
  const [mail] = await eventually(
    () => mailsTo(http, email),
    ({ length }) => length > 0,
    { what: "a mail" },
  );
  expect(mail?.link).toMatch(/^http:\/\/127\.0\.0\.1\/reset#token=[A-Za-z0-9_-]{43}$/);
});

test("a sign-in never leads to another site", async () => {
  const email = newEmail();
  await new Browser(http).join(email);
  const lead = async (redirect_to: string) =>
    (await new Browser(http).post("/auth/sign-in", { email, password: PASSWORD, redirect_to })).json["redirect_to"];
  expect(await lead("/apps/web?tab=logs")).toBe("/apps/web?tab=logs");
  for (const elsewhere of ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    expect([elsewhere, await lead(elsewhere)]).toEqual([elsewhere, "/"]);
  }
});

test("malformed requests are refused with the reason, and never a fault of ours", async () => {
  const browser = await new Browser(http).join(newEmail());
  const values = [null, 1, [], {}, "\0", "x".repeat(5_000), "\ud800", { $ne: "" }];
  const keys = ["email", "password", "new_password", "token", "name", "code", "challenge", "redirect_to"];
  const objects = values.map((value) => JSON.stringify(Object.fromEntries(keys.map((key) => [key, value]))));
  const bodies = ["", "{", "[]", "null", '"x"', "1", '{"unknown":1}', '{"__proto__":{"a":1}}', "\xff", ...objects];
  const each = values.flatMap((value) =>
    keys.map((key) => JSON.stringify({ email: "a@b.test", password: PASSWORD, token: "x", name: "A", [key]: value })),
  );
  for (const route of changing.filter(({ path }) => !/sign-out|sessions/.test(path))) {
    for (const body of [...bodies, ...each]) {
      // Each from somewhere else, so that the limits of attempts do not answer first.
      const somewhere = new Browser(http);
      somewhere.cookie = browser.cookie;
      const { status, json, text } = await somewhere.send(route.method.toUpperCase(), pathOf(route), body);
      const isClear = status < 500 && (status < 400 || typeof json["error"] === "string");
      expect([route.path, body.slice(0, 80), status, isClear, text.includes("sql")]).toEqual([
        route.path,
        body.slice(0, 80),
        status,
        true,
        false,
      ]);
    }
    expect(
      (await browser.send(route.method.toUpperCase(), pathOf(route), JSON.stringify("x".repeat(1_100_000)))).status,
    ).toBe(413);
  }
});

test("malformed paths and queries are refused with the reason, and never a fault of ours", async () => {
  const { cookie } = await new Browser(http).join(newEmail());
  const odd = [
    "%00",
    "%ED%A0%80",
    "%",
    "%zz",
    "__proto__",
    "%0d%0aSet-Cookie:a=b",
    "x".repeat(10_000),
    "é".repeat(1_000),
  ];
  for (const route of identityRoutes.filter(({ method }) => method !== "post")) {
    for (const text of odd) {
      const query = `to=/${text}&user_code=${text}&code=${text}&state=${text}&error=${text}&${text}=1`;
      for (const path of [route.path.replace("{id}", text), `${pathOf(route)}?${query}`]) {
        const browser = Object.assign(new Browser(http), { cookie });
        const reply = await browser.send(route.method.toUpperCase(), path, "");
        expect([route.path, text.slice(0, 20), reply.status < 500]).toEqual([route.path, text.slice(0, 20), true]);
        expect((reply.headers.get("Location") ?? "").length).toBeLessThan(4_000);
      }
    }
  }
});

test("a fault of ours tells its request's id and nothing else", async () => {
  const broken = await startTestApi({ database: http.database });
  broken.identity.engine = async () => {
    throw new Error("secret reason");
  };
  const reply = await new Browser(broken).signIn(newEmail());
  expect([reply.status, reply.json]).toEqual([500, { error: "internal", request_id: expect.any(String) }]);
  await broken.stop();
});
