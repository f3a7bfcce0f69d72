import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  claimKey,
  readStoredResponse,
  releaseKey,
  storeResponse,
} from "@svc/control-plane/platform/http/idempotency.store.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
let ada: Caller;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

const repo_url = "https://git.example.test/team/app.git";
const create = (caller: Caller, key: string, body: unknown) =>
  caller.call("POST", "/api/apps", body, { "Idempotency-Key": key });

test("fifty concurrent requests with one key create one app", async () => {
  promise("retries", "the first request with an idempotency key runs, and its answer is kept");
  const body = { name: "once", repo_url };
  const replies = await Promise.all(Array.from({ length: 50 }, () => create(ada, "fifty", body)));
  const originals = replies.filter(({ status, headers }) => status === 201 && !headers.has("Idempotent-Replayed"));
  expect(originals).toHaveLength(1);
  const [created, others] = [201, 409].map((wanted) => replies.filter(({ status }) => status === wanted));
  expect(created!.length + others!.length).toBe(50);
  expect(new Set(created!.map(({ text }) => text))).toEqual(new Set([originals[0]!.text]));
  for (const { json } of others!) expect(json["error"]).toBe("idempotency_key_in_progress");
  const { rows } = await http.database.query("select count(*)::integer as count from apps where name = 'once'");
  expect(rows).toEqual([{ count: 1 }]);
});

test("fifty concurrent requests to two processes with one key create one app", async () => {
  const second = await startTestApi({ database: http.database });
  try {
    const body = JSON.stringify({ name: "once-of-two", repo_url });
    const headers = {
      Authorization: `Bearer ${ada.key}`,
      "Content-Type": "application/json",
      "Idempotency-Key": "two-processes",
    };
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? http : second).api.request("/api/apps", { method: "POST", headers, body }),
      ),
    );
    expect(replies.filter((r) => r.status === 201 && !r.headers.has("Idempotent-Replayed"))).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([201, 409]))).toEqual(new Set());
    const { rows } = await http.database.query(
      "select count(*)::integer as count from apps where name = 'once-of-two'",
    );
    expect(rows).toEqual([{ count: 1 }]);
  } finally {
    await second.stop();
  }
});

test("a retry gets the same bytes, whatever the order of its properties", async () => {
  promise(
    "retries",
    "a retry with the same key and body gets the same answer",
    "a retry is marked as a replay, and makes nothing new",
  );
  const first = await create(ada, "retry", { name: "retried", repo_url });
  const again = await create(ada, "retry", `{"repo_url": "${repo_url}",  "name": "retried"}`);
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  expect(again.headers.get("X-Request-Id")).not.toBe(first.headers.get("X-Request-Id"));
});

test("a key with a different body is refused", async () => {
  promise("retries", "a key that comes with another body is refused with 422 idempotency_key_reuse");
  await create(ada, "reuse", { name: "reuse-1", repo_url });
  const other = await create(ada, "reuse", { name: "reuse-2", repo_url });
  expect([other.status, other.json["error"]]).toEqual([422, "idempotency_key_reuse"]);
});

test("a refusal is replayed too, even when the reason is gone", async () => {
  const refused = await create(ada, "refusal", { name: "www", repo_url });
  expect(refused.status).toBe(400);
  const again = await create(ada, "refusal", { name: "www", repo_url });
  expect([again.status, again.text, again.headers.get("Idempotent-Replayed")]).toEqual([400, refused.text, "true"]);
});

test("an error of ours is not stored", async () => {
  promise("retries", "an answer of 5xx is never kept");
  await http.database.query("alter table audit_log rename to hidden");
  expect((await create(ada, "broken", { name: "broken", repo_url })).status).toBe(500);
  await http.database.query("alter table hidden rename to audit_log");
  const again = await create(ada, "broken", { name: "broken", repo_url });
  expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
});

test("a key counts for its user and path only", async () => {
  const bob = await http.addCaller();
  expect((await create(ada, "shared", { name: "shared-a", repo_url })).status).toBe(201);
  expect((await create(bob, "shared", { name: "shared-b", repo_url })).status).toBe(201);
  const deploy = await ada.call("POST", "/api/apps/shared-a/deploy", undefined, { "Idempotency-Key": "shared" });
  expect([deploy.status, deploy.json]).toEqual([202, { status: "queued" }]);
  const again = await ada.call("POST", "/api/apps/shared-a/deploy", {}, { "Idempotency-Key": "shared" });
  expect([again.status, again.json, again.headers.get("Idempotent-Replayed")]).toEqual([
    202,
    { status: "queued" },
    "true",
  ]);
});

test("a crashed original blocks its key for five minutes, and then frees it for the same body alone", async () => {
  promise("retries", "a retry beside the running original is refused with 409 idempotency_key_in_progress");
  const body = { name: "crashed", repo_url };
  await create(ada, "crash", body);
  // As the crash leaves it: claimed, without effect and without an answer.
  await http.database.query("delete from apps where name = 'crashed'");
  const age = (minutes: number) =>
    http.database.query(
      `update idempotency_keys set response_status = null, response_body = null,
       claimed_at = now() - $1 * interval '1 minute' where key = 'crash'`,
      [minutes],
    );
  await age(4.5);
  expect((await create(ada, "crash", body)).json["error"]).toBe("idempotency_key_in_progress");
  await age(5.5);
  expect((await create(ada, "crash", { name: "crashed-2", repo_url })).json["error"]).toBe("idempotency_key_reuse");
  expect((await create(ada, "crash", body)).status).toBe(201);
});

test("an answer is stored for 24 hours, and forgotten then", async () => {
  promise("retries", "an answer is kept for 24 hours");
  const first = await create(ada, "old", { name: "old-1", repo_url });
  const age = (interval: string) =>
    http.database.query("update idempotency_keys set claimed_at = now() - $1::interval where key = 'old'", [interval]);
  await age("23 hours 59 minutes");
  const kept = await create(ada, "old", { name: "old-1", repo_url });
  expect([kept.text, kept.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
  await age("24 hours 1 second");
  const reply = await create(ada, "old", { name: "old-2", repo_url });
  expect([reply.status, reply.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
});

test("a key of up to 255 characters is accepted", async () => {
  promise("retries", "an idempotency key is any text of up to 255 characters");
  expect((await create(ada, "k".repeat(255), { name: "long-key", repo_url })).status).toBe(201);
  expect((await create(ada, "k".repeat(256), { name: "longer-key", repo_url })).status).toBe(400);
});

test("neither an answer nor a refusal crosses from one API key of a user to another", async () => {
  await create(ada, "crossing-app", { name: "crossing", repo_url });
  const limited = await http.addCaller({ userId: ada.userId, apps: ["another"] });
  const deploy = (caller: Caller, key: string) =>
    caller.call("POST", "/api/apps/crossing/deploy", undefined, { "Idempotency-Key": key });
  expect((await deploy(limited, "crossing")).json["error"]).toBe("insufficient_scope");
  expect((await deploy(ada, "crossing")).status).toBe(202);
  const replayed = await deploy(limited, "crossing");
  expect([replayed.status, replayed.json["error"]]).toEqual([403, "insufficient_scope"]);
  const waiting = "select d.id from deploys d join apps a on a.id = d.app_id where a.name = 'crossing'";
  const [row] = (await http.database.query(waiting)).rows as { id: string }[];
  const cancel = (caller: Caller) =>
    caller.call("POST", `/api/deploys/${row!.id}/cancel`, undefined, { "Idempotency-Key": "crossing-cancel" });
  expect((await cancel(ada)).json).toEqual({ deploy_id: row!.id, status: "canceled" });
  expect((await cancel(limited)).json["error"]).toBe("insufficient_scope");
  const created = await create(limited, "crossing-app", { name: "crossing", repo_url });
  expect([created.status, created.json["error"]]).toEqual([403, "insufficient_scope"]);
  expect((await create(limited, "crossing-new", { name: "crossing-2", repo_url })).status).toBe(403);
  expect((await create(ada, "crossing-new", { name: "crossing-2", repo_url })).status).toBe(201);
});

test("a path that no index can hold is not found", async () => {
  // Random, since PostgreSQL compresses what repeats.
  const path = `/api/apps/${randomBytes(1500).toString("hex")}/deploy`;
  const reply = await ada.call("POST", path, {}, { "Idempotency-Key": "long-path" });
  expect([reply.status, reply.json["error"]]).toEqual([404, "not_found"]);
});

test("a key is not released once its answer is stored", async () => {
  const { db } = http.database;
  const scope = { userId: ada.userId, method: "POST", path: "/api/apps", key: "stored" };
  const claimId = newId();
  await claimKey(db, scope, Buffer.alloc(32), claimId);
  await storeResponse(db, claimId, scope, { status: 201, body: "{}" });
  // As after a commit whose confirmation was lost.
  await releaseKey(db, claimId, scope);
  expect(await readStoredResponse(db, scope)).toMatchObject({ response: { status: 201 } });
});
