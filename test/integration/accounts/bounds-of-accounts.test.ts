import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { Browser } from "../../support/people/person.ts";

let http: TestApi;

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

test("addresses of people who never came are forgotten with their invitations", async () => {
  const team = await makeTeam(http);
  const place = `/api/teams/${team.id}/invitations`;
  expect((await team.ownerIn.call("POST", place, { email: "late@example.test", role: "viewer" })).status).toBe(201);
  expect((await team.ownerIn.call("POST", place, { email: "soon@example.test", role: "viewer" })).status).toBe(201);
  await http.database.query(
    "update team_invitations set expires_at = now() - interval '1 second' where email like 'late@%'",
  );
  await deleteExpiredIdentity(http.parts.db, 100);
  expect((await http.database.query("select email from team_invitations")).rows).toEqual([
    { email: "soon@example.test" },
  ]);
});

test("an audit entry stays small, however much a request names", async () => {
  const browser = await new Browser(http).join("many@example.test");
  await browser.post("/api/apps", { name: "many", repo_url: "https://github.com/you/many" });
  const keys = Array.from({ length: 64 }, (_, index) => `K${index}_`.padEnd(255, "X"));
  const env = Object.fromEntries(keys.map((key) => [key, "1"]));
  expect((await browser.send("PUT", "/api/apps/many/env", JSON.stringify({ env, sealed: keys }))).status).toBe(200);
  const { rows } = await http.database.query(
    "select length(detail::text) < 5000 as small, jsonb_array_length(detail->'keys') as keys, detail->'keys'->>-1 as last from audit_log where action = 'env.put'",
  );
  expect(rows).toEqual([{ small: true, keys: 11, last: "and 54 more" }]);
});

test("keys that are made and revoked in turn are bounded, from whichever addresses they are asked for", async () => {
  const browser = await new Browser(http).join("keys@example.test");
  let answer = await browser.post("/auth/keys", { name: "k" });
  for (let made = 1; answer.status === 201 && made <= 130; made += 1) {
    await http.database.query("update api_keys set revoked_at = now()");
    const elsewhere = new Browser(http);
    elsewhere.cookie = browser.cookie;
    answer = await elsewhere.post("/auth/keys", { name: "k" });
  }
  expect([answer.status, answer.json["error"]]).toEqual([429, "rate_limited"]);
});
