import { afterAll, beforeAll, expect, test } from "vitest";
import { apiKeyPrefix, hashApiKey, makeApiKey } from "@svc/control-plane/accounts/keys/api-key.ts";
import { MIGRATIONS } from "@svc/control-plane/platform/database/migrations/all.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { Browser } from "../../support/people/person.ts";

/** The newest version before there were teams. */
const BEFORE = 18;

let http: TestApi;
const [ada, ben] = [newId(), newId()];
const keys = { ada: makeApiKey(), scoped: makeApiKey(), ben: makeApiKey() };

beforeAll(async () => {
  http = await startTestApi();
  // The schema as it was, with what an installation of that time has, and then the way to today's.
  await http.database.query("drop schema public cascade; create schema public", []);
  for (const { sql, version } of MIGRATIONS) if (version <= BEFORE) await http.database.query(sql, []);
  const verified = "insert into users (id, email, tier, email_verified_at) values ($1, $2, 'pro', now())";
  await http.database.query(verified, [ada, "ada@example.test"]);
  await http.database.query("insert into users (id, email, tier) values ($1, $2, 'free')", [ben, "ben@example.test"]);
  const insertKey =
    "insert into api_keys (id, user_id, name, prefix, hash, scopes, apps) values ($1, $2, 'old', $3, $4, $5, $6)";
  const addKey = (user: string, key: string, scopes: string[] | null, apps: string[] | null) =>
    http.database.query(insertKey, [newId(), user, apiKeyPrefix(key), hashApiKey(key), scopes, apps]);
  await addKey(ada, keys.ada, null, null);
  await addKey(ada, keys.scoped, ["apps:read"], ["shop"]);
  await addKey(ben, keys.ben, null, null);
  const insertApp = "insert into apps (id, owner_id, name, status, repo_url) values ($1, $2, $3, 'stopped', $4)";
  for (const name of ["shop", "blog"]) {
    await http.database.query(insertApp, [newId(), ada, name, `http://127.0.0.1/git/${ada}/${name}.git`]);
    await http.database.query("insert into repositories (id, owner_id, name) values ($1, $2, $3)", [
      newId(),
      ada,
      name,
    ]);
  }
  const proof = "insert into audit_log (actor, action, target, owner_id) values ($1, 'app.create', 'app:x', $2)";
  await http.database.query(proof, [`user:${ada}`, ada]);
  for (const { sql, version } of MIGRATIONS) if (version > BEFORE) await http.database.query(sql, []);
});
afterAll(() => http?.stop());

async function get(key: string, path: string): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await http.api.request(path, { headers: { Authorization: `Bearer ${key}` } });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}
const namesOf = ({ json }: { json: Record<string, unknown> }) =>
  (json["apps"] as { name: string }[]).map(({ name }) => name);

test("keys of before teams work as they did, with their scopes and apps", async () => {
  expect(namesOf(await get(keys.ada, "/api/apps"))).toEqual(["shop", "blog"]);
  expect(namesOf(await get(keys.scoped, "/api/apps"))).toEqual(["shop"]);
  expect((await get(keys.scoped, "/api/apps/shop/env")).status).toBe(403);
  expect(namesOf(await get(keys.ben, "/api/apps"))).toEqual([]);
  expect((await get(keys.ben, "/api/apps/shop")).status).toBe(404);
});

test("what people had is their personal team's, with its tier", async () => {
  expect((await get(keys.ada, "/api/me")).json).toMatchObject({
    user: { id: ada, tier: "pro", email_verified: true },
    teams: [{ id: ada, personal: true, role: "owner", tier: "pro" }],
  });
  expect((await get(keys.ada, `/api/teams/${ada}/activity`)).json["activity"]).toMatchObject([
    { action: "app.create", email: "ada@example.test" },
  ]);
});

test("repositories of before teams are at their addresses", async () => {
  const { json } = await get(keys.ada, "/api/apps/shop");
  expect(json["app"]).toMatchObject({ git_repo: `http://127.0.0.1/git/${ada}/shop.git` });
  const query = "select r.name from repositories r join teams t on t.id = r.owner_id where t.user_id = $1 order by 1";
  expect((await http.database.query(query, [ada])).rows).toEqual([{ name: "blog" }, { name: "shop" }]);
});

test("somebody who had a key alone gets a password by a one-time link, and sees their apps", async () => {
  const browser = await new Browser(http).join("ada@example.test");
  const { json } = await browser.get("/api/apps");
  expect(namesOf({ json })).toEqual(["shop", "blog"]);
});
