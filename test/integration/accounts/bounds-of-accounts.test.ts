import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import { deleteEndedKeys } from "@svc/control-plane/accounts/keys/delete-ended-keys.ts";
import { tidyUp } from "@svc/control-plane/deploys/events/janitor.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
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

test("people get all of their data piece by piece, one download at a time, and so many of them", async () => {
  const browser = await new Browser(http).join("export@example.test");
  const { id } = (await browser.get("/api/me")).json["user"] as { id: string };
  await http.database.query(
    `insert into audit_log (actor, action, target, owner_id, detail)
     select 'user:' || $1, 'test', n::text, $1::uuid, jsonb_build_object('text', repeat('x', 4000)) from generate_series(1, 800) n`,
    [id],
  );
  const ask = (method: string) => http.api.request("/auth/export", { method, headers: { Cookie: browser.cookie } });
  const first = await ask("GET");
  const refused = await browser.get("/auth/export");
  expect([refused.status, refused.json]).toEqual([
    429,
    { error: "too_many_streams", detail: "Your data is being downloaded already: try again when that has ended." },
  ]);
  expect(refused.headers.get("Retry-After")).toBe("10");
  const pieces: Uint8Array[] = [];
  for await (const piece of first.body!) pieces.push(piece);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
  const { activity } = JSON.parse(Buffer.concat(pieces).toString()) as { activity: { id: string; action: string }[] };
  expect(activity.filter(({ action }) => action === "test").length).toBe(800);
  const { rows } = await http.database.query("select id from audit_log where owner_id = $1 order by id desc", [id]);
  expect(activity.map((entry) => entry.id)).toEqual(rows.map((row) => row["id"]));

  for (let left = 0; left < 3; left += 1) {
    expect((await ask("HEAD")).status).toBe(200);
    await (await ask("GET")).body!.cancel();
  }
  expect((await browser.get("/auth/export")).status).toBe(200);
  const limited = await browser.get("/auth/export");
  expect([limited.status, limited.json["error"]]).toEqual([429, "rate_limited"]);
  expect(limited.json["detail"]).toMatch(/^There were too many attempts\. Try again in \d+ s\.$/);
});

test("of keys that have ended the last hundred are listed, and each that works", async () => {
  const browser = await new Browser(http).join("listed@example.test");
  const { id } = (await browser.get("/api/me")).json["user"] as { id: string };
  expect((await browser.post("/auth/keys", { name: "works" })).status).toBe(201);
  await http.database.query(
    `insert into api_keys (id, user_id, team_id, name, prefix, hash, revoked_at, expires_at)
     select gen_random_uuid(), $1, $1, n::text, 'svc_', gen_random_uuid()::text::bytea,
       case when n % 2 = 0 then now() - n * interval '1 minute' end,
       case when n % 2 = 1 then now() - n * interval '1 minute' end
     from generate_series(1, 150) n`,
    [id],
  );
  const keys = (await browser.get("/auth/keys")).json["keys"] as { name: string }[];
  const names = new Set(keys.map(({ name }) => name));
  expect([keys.length, names.has("works"), names.has("100"), names.has("101")]).toEqual([101, true, true, false]);
});

test("a key that ended 30 days ago is removed, unless the audit log tells what it did", async () => {
  const { id, ownerIn } = await makeTeam(http);
  const { query } = http.database;
  const add = async (name: string, times: string): Promise<string> => {
    const { rows } = await query(
      `insert into api_keys (id, user_id, team_id, name, prefix, hash, revoked_at, expires_at)
       select gen_random_uuid(), user_id, team_id, $1, 'svc_', gen_random_uuid()::text::bytea, ${times}
       from team_members where team_id = $2 and role = 'owner' returning id`,
      [name, id],
    );
    return String(rows[0]!["id"]);
  };
  await add("works", "null, null");
  await add("lately", "now() - interval '29 days', null");
  await add("revoked", "now() - interval '31 days', now() + interval '1 day'");
  await add("expired", "null, now() - interval '31 days'");
  const told = await add("told of", "now() - interval '31 days', null");
  await query(
    "insert into audit_log (actor, action, target, owner_id) values ('key:' || $1::text, 'app.stop', 'app:1', $2)",
    [told, id],
  );
  while ((await deleteEndedKeys(http.parts.db, 1)) > 0);
  const { rows } = await query("select name from api_keys where team_id = $1 order by name", [id]);
  expect(rows.map(({ name }) => name)).toEqual(["lately", "test", "told of", "works"]);
  const { json } = await ownerIn.call("GET", `/api/teams/${id}/activity?action=app.stop`);
  expect(json["activity"]).toMatchObject([{ key_name: "told of", email: expect.stringContaining("@") as string }]);

  await query("update audit_log set at = now() - interval '366 days' where owner_id = $1", [id]);
  await tidyUp({ db: http.parts.db, log: silentLogger }, new AbortController().signal);
  await tidyUp({ db: http.parts.db, log: silentLogger }, new AbortController().signal);
  expect((await query("select name from api_keys where id = $1", [told])).rows).toEqual([]);
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
