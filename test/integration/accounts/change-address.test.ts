import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, PASSWORD, tokenOf } from "../../support/people/person.ts";

let http: TestApi;
let count = 0;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const newEmail = (): string => `ada${++count}@example.test`;
const kindsTo = async (email: string): Promise<string[]> => (await mailsTo(http, email)).map(({ kind }) => kind);

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

const ask = (browser: Browser, email: string, password = PASSWORD): Promise<Reply> =>
  browser.post("/auth/address", { email, password });
const confirm = (token: string): Promise<Reply> => new Browser(http).post("/auth/address/confirm", { token });
const linkTo = async (email: string): Promise<string> =>
  tokenOf((await mailsTo(http, email)).findLast(({ kind }) => kind === "change_of_address")!.link);

test("the new address counts once its mail's link is opened, and both addresses are told", async () => {
  const [before, after] = [newEmail(), newEmail()];
  const browser = await new Browser(http).join(before);
  expect((await ask(browser, after)).status).toBe(202);
  expect(await browser.who()).toBe(before);
  const token = await linkTo(after);
  expect((await confirm(token)).status).toBe(204);
  expect(await browser.who()).toBe(after);
  expect((await new Browser(http).signIn(before)).status).toBe(401);
  expect((await new Browser(http).signIn(after)).status).toBe(200);
  expect(await kindsTo(before)).toEqual(["address_changed"]);
  expect(await kindsTo(after)).toEqual(["change_of_address", "address_changed", "new_sign_in"]);
  expect(brief(await confirm(token))).toEqual([410, "link_invalid"]);
});

test("a stolen session does not take the account along: the password is asked for", async () => {
  const [before, after] = [newEmail(), newEmail()];
  const browser = await new Browser(http).join(before);
  expect(brief(await ask(browser, after, "wrong horse battery"))).toEqual([401, "credentials_invalid"]);
  expect(await kindsTo(after)).toEqual([]);
});

test("links that wait at the old address open nothing any more", async () => {
  const [before, after] = [newEmail(), newEmail()];
  const browser = await new Browser(http).join(before);
  await new Browser(http).post("/auth/forgot", { email: before });
  await http.identity.settled();
  const reset = tokenOf((await mailsTo(http, before)).find(({ kind }) => kind === "reset")!.link);
  await ask(browser, after);
  await confirm(await linkTo(after));
  const reply = await new Browser(http).post("/auth/reset", { token: reset, password: "another long password" });
  expect(brief(reply)).toEqual([410, "link_invalid"]);
});

test("an address that somebody else has is answered alike, and nothing changes", async () => {
  const [before, taken] = [newEmail(), newEmail()];
  const browser = await new Browser(http).join(before);
  await new Browser(http).join(taken);
  const free = await ask(browser, newEmail());
  const held = await ask(browser, taken.toUpperCase());
  expect([held.status, held.text]).toEqual([free.status, free.text]);
  expect(await kindsTo(taken.toUpperCase())).toEqual(["account_exists"]);
  expect(await browser.who()).toBe(before);
});

test("an address that somebody took in the meantime stays theirs", async () => {
  const [before, wanted] = [newEmail(), newEmail()];
  const browser = await new Browser(http).join(before);
  await ask(browser, wanted);
  await new Browser(http).join(wanted);
  expect(brief(await confirm(await linkTo(wanted)))).toEqual([410, "link_invalid"]);
  expect(await browser.who()).toBe(before);
});

test("a second change ends the first, an expired link opens nothing, and neither does a wrong one", async () => {
  const [before, first, second] = [newEmail(), newEmail(), newEmail()];
  const browser = await new Browser(http).join(before);
  await ask(browser, first);
  await ask(browser, second);
  expect(brief(await confirm(await linkTo(first)))).toEqual([410, "link_invalid"]);
  await http.database.query("update verifications set expires_at = now()");
  for (const token of [await linkTo(second), "x", ""]) expect((await confirm(token)).status).toBe(410);
  for (const email of ["", "ada", before, "ada@b\r\nBcc: eve@example.test"]) {
    expect([email, ...brief(await ask(browser, email))]).toEqual([email, 400, "invalid_request"]);
  }
});
