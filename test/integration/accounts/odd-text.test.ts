import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";

let http: TestApi;
let team: Team;

beforeAll(async () => {
  http = await startTestApi();
  team = await makeTeam(http);
});
afterAll(() => http?.stop());

// A lone surrogate is no text that the database or a mail can hold. U+212A is a k in lower case, and U+0130 is an i for the
// database alone: mailboxes of somebody else. A sigma has two lower cases, of which the database knows one.
const WRONG_ADDRESSES = [
  "a@\ud800",
  "\ud800@example.test",
  "mar\u212a@example.test",
  "m\u0130a@example.test",
  "\u0391\u03a3@example.test",
];

test.each(WRONG_ADDRESSES)("the address %j is refused", async (email) => {
  const browser = await new Browser(http).join(`odd${WRONG_ADDRESSES.indexOf(email)}@example.test`);
  expect((await browser.post("/auth/address", { password: PASSWORD, email })).status).toBe(400);
  for (const path of ["/auth/forgot", "/auth/sign-up"]) {
    expect([path, (await browser.post(path, { email })).status]).toEqual([path, 400]);
  }
  const place = `/api/teams/${team.id}/invitations`;
  expect((await team.ownerIn.call("POST", place, { email, role: "viewer" })).status).toBe(400);
});

test("names that the database can't hold are refused", async () => {
  expect((await team.ownerIn.call("PATCH", `/api/teams/${team.id}`, { name: "\ud800" })).status).toBe(400);
  expect((await team.owner.call("POST", "/api/teams", { name: "a\udfff" })).status).toBe(400);
  expect((await team.ownerIn.call("GET", `/api/teams/${team.id}/activity?action=%00`)).status).toBe(400);
});
