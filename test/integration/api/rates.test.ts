import { afterAll, beforeAll, expect, test } from "vitest";
import { takeBucketToken } from "@svc/control-plane/accounts/rate-buckets.store.ts";
import { openDatabase } from "@svc/control-plane/platform/database/database.ts";
import { DEFAULT_TIERS } from "@svc/control-plane/accounts/tier.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
let count = 0;

beforeAll(async () => {
  http = await startTestApi({ tiers: { ...DEFAULT_TIERS, slow: { ...DEFAULT_TIERS["free"]!, reads: READS } } });
});
afterAll(() => http?.stop());

/** The read rate of the tier slow. */
const READS = { perMinute: 6, burst: 3 };

const repo_url = "https://git.example.test/team/app.git";
const create = (caller: Caller, headers?: Record<string, string>) =>
  caller.call("POST", "/api/apps", { name: `rate-${++count}`, repo_url }, headers);
const statusesOf = async (calls: Promise<{ status: number }>[]) => (await Promise.all(calls)).map((r) => r.status);

/** As if the bucket had been left alone for so long. */
const wait = (caller: Caller, seconds: number) =>
  http.database.query(
    "update write_buckets set updated_at = updated_at - $2 * interval '1 second' where user_id = $1",
    [caller.userId, seconds],
  );

test("five writes pass at once, the sixth is told to wait, and passes after that", async () => {
  promise(
    "rate",
    "calls that change something are limited in their rate",
    "a call that comes too soon is refused with 429, and told how many whole seconds to wait",
  );
  const caller = await http.addCaller();
  expect(await statusesOf(Array.from({ length: 5 }, () => create(caller)))).toEqual([201, 201, 201, 201, 201]);
  const refused = await create(caller);
  expect([refused.status, refused.json["error"]]).toEqual([429, "rate_limited"]);
  expect(refused.headers.get("Retry-After")).toMatch(/^[1-6]$/);
  await wait(caller, Number(refused.headers.get("Retry-After")));
  expect((await create(caller)).status).toBe(201);
  expect((await create(caller)).status).toBe(429);
});

test("ten writes a minute are granted over time, however often one asks", async () => {
  promise("rate", "a user may change 10 things a minute, and 5 at once");
  const caller = await http.addCaller();
  for (let i = 0; i < 5; i++) await create(caller);
  let granted = 0;
  for (let second = 0; second < 60; second++) {
    await wait(caller, 1);
    if ((await caller.call("DELETE", "/api/apps/none/env/A")).status === 404) granted += 1;
  }
  // The seconds that the test itself takes are given on top.
  expect(granted).toBeGreaterThanOrEqual(10);
  expect(granted).toBeLessThanOrEqual(12);
});

test("a write costs whatever its answer; reads and replays cost nothing", async () => {
  const caller = await http.addCaller();
  const key = { "Idempotency-Key": "same" };
  const body = { name: "rate-replayed", repo_url };
  expect((await caller.call("POST", "/api/apps", body, key)).status).toBe(201);
  expect((await caller.call("POST", "/api/apps", "{")).status).toBe(400);
  expect((await caller.call("PUT", "/api/apps/none/env", { env: {} })).status).toBe(404);
  expect((await caller.call("POST", "/api/apps", " ".repeat(1024 * 1024 + 1))).status).toBe(413);
  expect((await caller.call("POST", "/api/apps", "x", { "Content-Type": "text/plain" })).status).toBe(415);
  for (let i = 0; i < 8; i++) expect((await caller.call("GET", "/api/apps")).status).toBe(200);
  for (let i = 0; i < 8; i++) {
    const replay = await caller.call("POST", "/api/apps", body, key);
    expect([replay.status, replay.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
  }
  // Before 404 and 400, after idempotency.
  expect((await caller.call("PUT", "/api/apps/none/env", "{")).status).toBe(429);
  const reuse = await caller.call("POST", "/api/apps", { name: "other", repo_url }, key);
  expect(reuse.status).toBe(422);
});

test("a key that is limited to other apps is refused before the request is counted", async () => {
  const caller = await http.addCaller();
  const { name } = (await create(caller)).json["app"] as { name: string };
  const limited = await http.addCaller({ userId: caller.userId, apps: ["other"] });
  for (let i = 0; i < 8; i++) {
    expect((await limited.call("POST", `/api/apps/${name}/deploy`)).status).toBe(403);
  }
  // The first one of five made the app.
  for (let i = 0; i < 4; i++) {
    expect((await limited.call("POST", "/api/apps/none/deploy")).status).toBe(404);
  }
  expect((await limited.call("POST", "/api/apps/none/deploy")).status).toBe(429);
  expect((await limited.call("POST", `/api/apps/${name}/deploy`)).status).toBe(403);
});

test("a refusal for the rate is not stored under its idempotency key", async () => {
  const caller = await http.addCaller();
  await Promise.all(Array.from({ length: 5 }, () => create(caller)));
  const body = { name: "rate-later", repo_url };
  const key = { "Idempotency-Key": "later" };
  expect((await caller.call("POST", "/api/apps", body, key)).status).toBe(429);
  await wait(caller, 6);
  const reply = await caller.call("POST", "/api/apps", body, key);
  expect([reply.status, reply.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
});

test("an earlier refusal costs nothing: no valid key, no scope, an unverified address", async () => {
  const caller = await http.addCaller();
  const scoped = await http.addCaller({ userId: caller.userId, scopes: ["apps:read"] });
  const unverified = await http.addCaller({ verified: false });
  for (let i = 0; i < 8; i++) {
    expect((await create(caller, { Authorization: "Bearer svc_x" })).status).toBe(401);
    expect((await create(scoped)).status).toBe(403);
    expect((await create(unverified)).status).toBe(403);
  }
  expect(await statusesOf(Array.from({ length: 5 }, () => create(caller)))).toEqual([201, 201, 201, 201, 201]);
});

test("two processes share the bucket of a user, and all keys of a user do", async () => {
  promise("rate", "the rate is the user's, over all keys and processes");
  const caller = await http.addCaller();
  const other = openDatabase({ url: http.database.url, log: silentLogger });
  try {
    const rate = { perMinute: 10, burst: 5 };
    const takes = Array.from({ length: 40 }, (_, i) =>
      takeBucketToken(i % 2 === 0 ? http.database.db : other, "writes", caller.userId, rate),
    );
    expect((await Promise.all(takes)).filter((missing) => missing === 0)).toHaveLength(5);
  } finally {
    await other.destroy();
  }
  expect((await create(await http.addCaller({ userId: caller.userId }))).status).toBe(429);
  expect((await create(await http.addCaller())).status).toBe(201);
});

test("reads are limited where the tier says so, and cost no write", async () => {
  const caller = await http.addCaller({ tier: "slow" });
  const read = () => caller.call("GET", "/api/apps");
  expect(await statusesOf([read(), read(), read()])).toEqual([200, 200, 200]);
  const refused = await read();
  expect([refused.status, refused.json["error"], refused.headers.get("Retry-After")]).toEqual([
    429,
    "rate_limited",
    expect.stringMatching(/^([1-9]|10)$/),
  ]);
  expect(refused.json["detail"]).toContain("6 times a minute, 3 times at once");
  expect(await statusesOf(Array.from({ length: 3 }, () => create(caller)))).toEqual([201, 201, 201]);
  expect((await read()).status).toBe(429);
});
