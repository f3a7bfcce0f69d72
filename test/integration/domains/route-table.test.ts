import { afterAll, beforeAll, expect, test } from "vitest";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { addOperator } from "../../support/people/operator.ts";
import type { Browser } from "../../support/people/person.ts";

/** The table of host names for balancers in front of several servers. */
let http: TestApi;
let operator: Browser;
let ada: Caller;
let servers: string[];

beforeAll(async () => {
  http = await startTestApi();
  operator = await addOperator(http, "operator@example.test");
  ada = await http.addCaller({ tier: "team" });
  servers = [await http.addServer("berlin"), await http.addServer("oslo")];
  await http.database.query(
    "update servers set address = '192.0.2.7:9443', linked_from = '10.0.0.7' where name = 'berlin'",
  );
  await http.database.query("update servers set linked_from = '10.0.0.8' where name = 'oslo'");
  await addApp("shop", servers[0]!, ["www.shop.example", "shop.example"]);
  await addLiveRelease(http.parts, { name: "shop", userId: ada.userId, serverId: servers[0]! });
  await addApp("blog", servers[1]!, []);
  await http.database.query("update apps set status = 'failed' where name = 'blog'");
  // Nothing leads to one that was never deployed, nor to one without a server.
  await addApp("young", servers[1]!, ["young.example"]);
  await addApp("homeless", null, ["homeless.example"]);
});
afterAll(() => http?.stop());

async function addApp(name: string, serverId: string | null, domains: string[]): Promise<void> {
  await ada.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}` });
  await http.database.query("update apps set server_id = $2 where name = $1", [name, serverId]);
  for (const domain of domains) {
    const query = "insert into domains (app_id, domain) select id, $2 from apps where name = $1";
    await http.database.query(query, [name, domain]);
  }
}

const TABLE = [
  { host: "blog.apps.localhost", app: "blog", server: "oslo", address: "10.0.0.8", port: 8443 },
  { host: "shop.apps.localhost", app: "shop", server: "berlin", address: "192.0.2.7", port: 9443 },
  { host: "shop.example", app: "shop", server: "berlin", address: "192.0.2.7", port: 9443 },
  { host: "www.shop.example", app: "shop", server: "berlin", address: "192.0.2.7", port: 9443 },
];

test("each host that leads to an app is listed with its server, whole or in pages", async () => {
  expect((await operator.get("/api/routes")).json).toEqual({ routes: TABLE });
  const first = (await operator.get("/api/routes?limit=3")).json;
  expect(first).toEqual({ routes: TABLE.slice(0, 3), next_cursor: "shop.example" });
  expect((await operator.get("/api/routes?limit=3&cursor=shop.example")).json).toEqual({ routes: TABLE.slice(3) });
  for (const query of ["limit=0", "limit=10001", "limit=x", "cursor=a&cursor=b"]) {
    expect([query, (await operator.get(`/api/routes?${query}`)).status]).toEqual([query, 400]);
  }
});

test("a page that the caller has is answered 304 until something of it changes", async () => {
  const key = await keyOf({});
  const ask = (tag?: string) =>
    key.call("GET", "/api/routes", undefined, tag === undefined ? {} : { "If-None-Match": tag });
  const etag = (await ask()).headers.get("ETag")!;
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  for (const tag of [etag, `"other", W/${etag}`, "*"]) {
    const again = await ask(tag);
    expect([tag, again.status, again.text, again.headers.get("ETag")]).toEqual([tag, 304, "", etag]);
  }
  expect((await ask('"other"')).status).toBe(200);
  await http.database.query("update servers set address = '192.0.2.8:9443' where name = 'berlin'");
  const changed = await ask(etag);
  expect([changed.status, changed.headers.get("ETag") === etag]).toEqual([200, false]);
  await http.database.query("update servers set address = '192.0.2.7:9443' where name = 'berlin'");
});

test("an operator's key without scopes reads the table, and no other key does", async () => {
  expect((await (await keyOf({})).call("GET", "/api/routes")).status).toBe(200);
  for (const limits of [{ scopes: ["apps:read"] }, { apps: ["shop"] }]) {
    expect([limits, (await (await keyOf(limits)).call("GET", "/api/routes")).status]).toEqual([limits, 404]);
  }
  expect((await ada.call("GET", "/api/routes")).status).toBe(404);
  // The other operator's routes take none.
  expect((await (await keyOf({})).call("GET", "/api/servers")).status).toBe(404);
  const key = await keyOf({});
  await http.database.query("update users set is_operator = false where email = 'operator@example.test'");
  expect((await key.call("GET", "/api/routes")).status).toBe(404);
  await http.database.query("update users set is_operator = true where email = 'operator@example.test'");
});

/** A new key of the operator's. */
async function keyOf(limits: { scopes?: string[]; apps?: string[] }): Promise<Caller> {
  const { rows } = await http.database.query("select id from users where email = 'operator@example.test'");
  return http.addCaller({ userId: (rows as [{ id: string }])[0].id, ...limits });
}
