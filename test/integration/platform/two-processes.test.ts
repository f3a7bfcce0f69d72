import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startNotifications, type RunningNotifications } from "@svc/control-plane/platform/database/notifications.ts";
import { hashApiKey } from "@svc/control-plane/accounts/keys/api-key.ts";
import { createKeyOwners, type KeyOwners } from "@svc/control-plane/accounts/keys/key-owners.ts";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { ADMIN } from "../../support/platform/bundles.ts";
import { startControlPlanes, type ControlPlanes } from "../../support/platform/control-planes.ts";
import { eventually } from "../../support/tools/eventually.ts";

const run = promisify(execFile);

/** The stopped clock keeps remembered keys for ever, unless something makes the process forget them. */
const stopped: Clock = { now: () => new Date(0), sleep: (ms, signal) => systemClock.sleep(ms, signal) };

/** The log of the notifications alone. */
const log = silentLogger.child({});

let planes: ControlPlanes;
let notifications: RunningNotifications;
let owners: KeyOwners;

beforeAll(async () => {
  planes = await startControlPlanes(2);
  const { url, db } = planes.database;
  notifications = await startNotifications({ url, processId: newId(), clock: systemClock, log });
  owners = createKeyOwners({ db, notifications, clock: stopped });
});
afterAll(async () => {
  await notifications?.stop();
  await planes?.stop();
});

const ofKey = (key: string) => owners.read(hashApiKey(key));
const change = (text: string, id: string) => planes.database.query(text, [id]);
/** In this file's database alone: others on the same PostgreSQL listen, too. */
const endOfListening =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()";

test("a key that one process revokes stops working in another one that knew it", async () => {
  const { key, keyId } = await planes.addKey();
  const ask = (baseUrl: string) =>
    fetch(`${baseUrl}/api/apps`, { headers: { Authorization: `Bearer ${key}` } }).then(({ status }) => status);
  for (const baseUrl of planes.baseUrls) expect(await ask(baseUrl)).toBe(200);
  const { PATH, HOME } = process.env as Record<string, string>;
  await run(process.execPath, [ADMIN, "key", "revoke", keyId], { env: { PATH, HOME, ...planes.env } as never });
  // The notification is on its way when the command ends.
  for (const baseUrl of planes.baseUrls) {
    await eventually(
      () => ask(baseUrl),
      (status) => status === 401,
      { what: "401", deadlineMs: 1_000, intervalMs: 5 },
    );
  }
});

test("a process remembers whose a key is, and forgets it when the key or its owner changes", async () => {
  for (const [statement, isAsChanged] of [
    ["update api_keys set scopes = '{apps:read}' where id = $1", "apps:read"],
    ["update users set tier = 'free' where id = (select user_id from api_keys where id = $1)", "free"],
    ["update users set email_verified_at = null where id = (select user_id from api_keys where id = $1)", "false"],
    ["update api_keys set expires_at = now() where id = $1", "none"],
    ["delete from users where id = (select user_id from api_keys where id = $1)", "none"],
  ] as const) {
    const { key, keyId } = await planes.addKey();
    const before = await ofKey(key);
    expect(before).toMatchObject({ keyId, scopes: null, tier: "team", emailVerified: true });
    await change(statement, keyId);
    await eventually(
      async () => (await ofKey(key)) ?? "none",
      (owner) => JSON.stringify(owner).includes(isAsChanged),
      { what: statement, deadlineMs: 5_000 },
    );
  }
});

test("a remembered key costs no query, and its last use makes nobody forget it", async () => {
  const { key, keyId } = await planes.addKey();
  const first = await ofKey(key);
  await change("update api_keys set last_used_at = now() where id = $1", keyId);
  // A trigger that is off is a change that nobody hears of.
  await planes.database.query("alter table api_keys disable trigger api_keys_changed");
  try {
    await change("update api_keys set revoked_at = now() where id = $1", keyId);
    expect(await ofKey(key)).toEqual({ ...first, lastUseIsOld: false });
    expect(await owners.readNow(hashApiKey(key))).toBeUndefined();
  } finally {
    await planes.database.query("alter table api_keys enable trigger api_keys_changed");
  }
});

test("a process that hears nothing trusts the database alone, and what it knew before is forgotten", async () => {
  const { key, keyId } = await planes.addKey();
  expect(await ofKey(key)).toBeDefined();
  await planes.database.query("alter table api_keys disable trigger api_keys_changed");
  try {
    await change("update api_keys set revoked_at = now() where id = $1", keyId);
    expect(await ofKey(key)).toBeDefined();
    // Asked in the moment of the loss, since it listens again soon.
    const lost = Promise.withResolvers<{ listening: boolean; owner: unknown }>();
    vi.spyOn(log, "warn").mockImplementationOnce(() => {
      const { listening } = notifications;
      lost.resolve(ofKey(key).then((owner) => ({ listening, owner })));
    });
    await planes.database.query(endOfListening, ["svc-notifications"]);
    expect(await lost.promise).toEqual({ listening: false, owner: undefined });
    await eventually(() => notifications.listening, Boolean, { what: "it listens again" });
    expect(await ofKey(key)).toBeUndefined();
  } finally {
    await planes.database.query("alter table api_keys enable trigger api_keys_changed");
  }
});

test("a key that expires is not remembered for longer than it lives", async () => {
  const { key, keyId } = await planes.addKey();
  const heard = Promise.withResolvers<void>();
  const unsubscribe = notifications.subscribe("credentials", () => heard.resolve());
  await change("update api_keys set expires_at = now() + interval '900 ms' where id = $1", keyId);
  await heard.promise;
  unsubscribe();
  // Stands still but for one step, after which the key has expired, and what is remembered longest has not.
  let now = Date.now();
  const clock = { ...systemClock, now: () => new Date(now) };
  const ticking = createKeyOwners({ db: planes.database.db, notifications, clock });
  expect(await ticking.read(hashApiKey(key))).toBeDefined();
  await eventually(
    () => ticking.readNow(hashApiKey(key)),
    (owner) => owner === undefined,
    { what: "the key expires" },
  );
  now += 950;
  expect(await ticking.read(hashApiKey(key))).toBeUndefined();
});

test("25 creates with one idempotency key to each of two processes make one app", async () => {
  const { key } = await planes.addKey();
  const body = JSON.stringify({ name: "once-of-two", repo_url: "https://git.example.test/team/app.git" });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Idempotency-Key": "same" };
  const create = async (baseUrl: string) => {
    const response = await fetch(`${baseUrl}/api/apps`, { method: "POST", headers, body });
    return {
      status: response.status,
      text: await response.text(),
      isReplay: response.headers.get("Idempotent-Replayed") === "true",
    };
  };
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => create(planes.baseUrls[i % 2]!)));
  const originals = answers.filter(({ status, isReplay }) => status === 201 && !isReplay);
  expect(originals).toHaveLength(1);
  for (const { status, text } of answers) {
    if (status === 201) expect(text).toBe(originals[0]!.text);
    else expect([status, JSON.parse(text)]).toMatchObject([409, { error: "idempotency_key_in_progress" }]);
  }
  const { rows } = await planes.database.query("select name from apps where name like 'once-of-two%'");
  expect(rows).toEqual([{ name: "once-of-two" }]);
  // A caller that was told to wait gets the stored answer from either process.
  for (const baseUrl of planes.baseUrls) {
    expect(await create(baseUrl)).toEqual({ status: 201, text: originals[0]!.text, isReplay: true });
  }
});
