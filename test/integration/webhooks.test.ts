import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@svc/shared/clock.ts";
import { newId } from "@svc/shared/ids.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { createGuardedFetch, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { claimDelivery } from "@svc/control-plane/db/webhook-deliveries.ts";
import { claimDeploy, recordDeployEnd, withClaim, type Claim } from "@svc/control-plane/db/pipeline.ts";
import type { TerminalStatus } from "@svc/control-plane/domain/deploy.ts";
import { startDeliverer, webhookTiming, type WebhookTiming } from "@svc/control-plane/webhooks/deliverer.ts";
import { startTestApi, type Caller, type TestApi } from "../support/http.ts";
import { startNameServer, type NameServer } from "../support/name-server.ts";
import { addDeploy } from "../support/pipeline.ts";
import { eventually } from "../support/poll.ts";
import { answer, isSigned, startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

/** Short enough for a test, in the proportions of the real ones. */
const quick: WebhookTiming = { timeoutMs: 600, claimMs: 1_500, retryDelayMs: 150, pollMs: 100, stopGraceMs: 100 };
const address = { appsDomain: "apps.localhost", appsHttpsPort: 8443 };

let receiver: WebhookReceiver;
let names: NameServer;
let outbound: GuardedFetch;
let http: TestApi;
let ada: Caller;
const running: { stop(): Promise<void> }[] = [];
/** What a name leads to, by the n-th question. */
const zone = new Map<string, (n: number) => readonly string[]>();

beforeAll(async () => {
  receiver = await startWebhookReceiver(["localhost", "hooks.test", "rebinding.test"]);
  names = await startNameServer((name, n) => zone.get(name)?.(n));
  zone.set("hooks.test", () => ["127.0.0.1"]);
  outbound = createGuardedFetch({
    allowCidrs: ["127.0.0.1/32"],
    caPem: receiver.caPem,
    dnsServers: [names.address],
  });
  http = await startTestApi({ outbound });
  ada = await http.addCaller();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
  receiver.received.length = 0;
});
afterAll(async () => {
  await http?.stop();
  await names?.stop();
  await receiver?.stop();
});

function startWorker(timing: Partial<WebhookTiming> = {}, guard = outbound) {
  const { keyRing, notifications, database } = http;
  const settings = { db: database.db, keyRing, notifications, clock: systemClock, log: silentLogger };
  const worker = startDeliverer({ ...settings, outbound: guard, timing: { ...quick, ...timing } });
  running.push(worker);
  return worker;
}

let apps = 0;
async function addApp(): Promise<string> {
  const name = `hooked-${++apps}`;
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
  return name;
}

interface Webhook {
  id: string;
  secret: string;
}

async function register(app: string, path: string, host = `127.0.0.1:${receiver.port}`): Promise<Webhook> {
  const reply = await ada.call("POST", `/api/apps/${app}/webhooks`, { url: `https://${host}${path}` });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return { id: String(reply.json["id"]), secret: String(reply.json["secret"]) };
}

/** A running deploy of the app, in the hands of a worker. */
async function claimedDeploy(name: string): Promise<{ deployId: string; claim: Claim }> {
  const { db, query } = http.database;
  const { rows } = await query("select id, owner_id from apps where name = $1", [name]);
  const serverId = await http.addServer(`server-${randomUUID()}`);
  const deployId = await addDeploy(db, { id: String(rows[0]!["id"]), userId: String(rows[0]!["owner_id"]) }, serverId);
  const claim = await claimDeploy(db, serverId, randomUUID(), 60_000);
  return { deployId, claim: claim! };
}

/** Ends a deploy of the app as the pipeline does. */
async function endDeploy(name: string, status: TerminalStatus): Promise<string> {
  const { deployId, claim } = await claimedDeploy(name);
  await withClaim(http.database.db, claim, (trx) => recordDeployEnd(trx, claim, { status }, address));
  return deployId;
}

const deliveriesOf = async (app: string, id: string) =>
  (await ada.call("GET", `/api/apps/${app}/webhooks/${id}/deliveries`)).json["deliveries"] as Record<string, unknown>[];

const finished = (app: string, id: string) =>
  eventually("the delivery ends", async () => {
    const deliveries = await deliveriesOf(app, id);
    return deliveries.length > 0 && deliveries.every((one) => one["status"] !== "pending") ? deliveries : undefined;
  });

describe("a webhook", () => {
  test("shows its secret once, and is listed and deleted by its app alone", async () => {
    const app = await addApp();
    const created = await ada.call("POST", `/api/apps/${app}/webhooks`, {
      url: `https://hooks.test:${receiver.port}/x?token=1`,
    });
    expect(created.status).toBe(201);
    expect(Object.keys(created.json)).toEqual(["id", "url", "secret", "created_at"]);
    const { id, url, secret, created_at } = created.json;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const listed = await ada.call("GET", `/api/apps/${app}/webhooks`);
    expect(listed.json).toEqual({ webhooks: [{ id, url, created_at }] });
    const { rows } = await http.database.query("select secret from webhooks where id = $1", [id]);
    expect((rows[0]!["secret"] as Buffer).includes(String(secret))).toBe(false);

    const other = await addApp();
    expect((await ada.call("DELETE", `/api/apps/${other}/webhooks/${String(id)}`)).status).toBe(404);
    expect((await ada.call("DELETE", `/api/apps/${app}/webhooks/not-an-id`)).status).toBe(404);
    expect((await ada.call("DELETE", `/api/apps/${app}/webhooks/${String(id)}`)).status).toBe(204);
    expect((await ada.call("DELETE", `/api/apps/${app}/webhooks/${String(id)}`)).status).toBe(404);
    expect((await ada.call("GET", `/api/apps/${app}/webhooks`)).json).toEqual({ webhooks: [] });
  });

  test("is one of five at most, also when many are registered at once", async () => {
    const app = await addApp();
    const url = `https://127.0.0.1:${receiver.port}/`;
    const replies = await Promise.all(
      Array.from({ length: 9 }, () => ada.call("POST", `/api/apps/${app}/webhooks`, { url })),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, json }) => `${status} ${String(json["error"])}`))).toEqual(
      new Set(["400 webhook_limit"]),
    );
  });

  test.each([
    "http://hooks.test/",
    "https://user:secret@hooks.test/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fe80::1]/",
    "https://167772161/",
    "https://0xa000001/",
    "https://private.test/",
    "https://half-private.test/",
    "https://mapped.test/",
    "https://metadata.test/",
    "https://nothing.test/",
    "not a url",
  ])("is not registered for %s", async (url) => {
    zone.set("private.test", () => ["192.168.7.7"]);
    zone.set("half-private.test", () => ["8.8.8.8", "10.1.2.3"]);
    zone.set("mapped.test", () => ["::ffff:10.1.2.3"]);
    zone.set("metadata.test", () => ["169.254.169.254"]);
    const app = await addApp();
    const reply = await ada.call("POST", `/api/apps/${app}/webhooks`, { url });
    expect([reply.status, reply.json["error"]]).toEqual([400, "invalid_webhook_url"]);
    expect(reply.text).not.toContain("secret");
    expect((await ada.call("GET", `/api/apps/${app}/webhooks`)).json).toEqual({ webhooks: [] });
  });

  test("needs its scope", async () => {
    const app = await addApp();
    const reader = await http.addCaller({ userId: ada.userId, scopes: ["webhooks:read"] });
    expect((await reader.call("GET", `/api/apps/${app}/webhooks`)).status).toBe(200);
    const reply = await reader.call("POST", `/api/apps/${app}/webhooks`, { url: "https://hooks.test" });
    expect([reply.status, reply.json["error"]]).toEqual([403, "insufficient_scope"]);
  });
});

describe("the end of a deploy", () => {
  test.each([
    ["success", "deploy.succeeded", "succeeded"],
    ["failed", "deploy.failed", "failed"],
    ["canceled", "deploy.failed", "canceled"],
  ] as const)("%s reaches every receiver once, signed over its exact bytes", async (end, event, status) => {
    const app = await addApp();
    const hooks = [await register(app, "/a"), await register(app, "/b")];
    startWorker();
    startWorker();
    const deployId = await endDeploy(app, end);
    for (const { id } of hooks) await finished(app, id);

    expect(receiver.received).toHaveLength(2);
    for (const [i, path] of ["/a", "/b"].entries()) {
      const [request] = receiver.at(path);
      expect(request!.headers).toMatchObject({
        "content-type": "application/json",
        "x-service-event": event,
        "x-service-delivery": hooks[i]!.id,
      });
      expect(isSigned(request!, hooks[i]!.secret)).toBe(true);
      expect(isSigned(request!, hooks[1 - i]!.secret)).toBe(false);
      const body = JSON.parse(request!.body.toString()) as Record<string, unknown>;
      expect(Object.keys(body)).toEqual(["event", "app", "deploy_id", "status", "url", "timestamp"]);
      expect(body).toMatchObject({
        event,
        app,
        deploy_id: deployId,
        status,
        url: `https://${app}.apps.localhost:8443`,
      });
      expect(new Date(String(body["timestamp"])).toISOString()).toBe(body["timestamp"]);
    }
    expect(await deliveriesOf(app, hooks[0]!.id)).toMatchObject([
      { event, status: "delivered", deploy_id: deployId, attempts: 1, response_status: 200, error: null },
    ]);
  });

  test("that is not committed is told to nobody", async () => {
    const app = await addApp();
    const hook = await register(app, "/never");
    startWorker();
    const { claim } = await claimedDeploy(app);
    const ending = withClaim(http.database.db, claim, async (trx) => {
      await recordDeployEnd(trx, claim, { status: "success" }, address);
      throw new Error("the process dies");
    });
    await expect(ending).rejects.toThrow("the process dies");
    expect(await deliveriesOf(app, hook.id)).toEqual([]);
  });

  test("of a rollback names the deploy that it went back to, and only once it has switched", async () => {
    const app = await addApp();
    const hook = await register(app, "/rollback");
    startWorker();
    const first = await claimedDeploy(app);
    const release = newId();
    const { query } = http.database;
    await query(
      `insert into releases (id, app_id, deploy_id, name, image_digest, commit_sha, framework, port, env)
       values ($1, $2, $3, 'v1', 'sha256:x', 'a', 'node', 3000, '')`,
      [release, first.claim.appId, first.deployId],
    );
    await withClaim(http.database.db, first.claim, (trx) =>
      recordDeployEnd(trx, first.claim, { status: "success", releaseId: release }, address),
    );
    for (const status of ["failed", "success"] as const) {
      const { claim, deployId } = await claimedDeploy(app);
      await query("update deploys set kind = 'rollback', target_release_id = $2 where id = $1", [deployId, release]);
      const end = { status, ...(status === "success" && { releaseId: release }) };
      await withClaim(http.database.db, claim, (trx) => recordDeployEnd(trx, claim, end, address));
    }
    expect(await finished(app, hook.id)).toMatchObject([
      { event: "deploy.rolled_back", deploy_id: first.deployId },
      { event: "deploy.succeeded", deploy_id: first.deployId },
    ]);
    const bodies = receiver.at("/rollback").map(({ body }) => JSON.parse(body.toString()) as { status: string });
    expect(bodies.map(({ status }) => status).sort()).toEqual(["rolled_back", "succeeded"]);
  });
});

describe("a delivery", () => {
  test.each([
    ["/500", answer(500)],
    ["/302", answer(302, { location: "https://127.0.0.1/elsewhere" })],
    ["/reset", (response: { destroy(): void }) => response.destroy()],
    ["/hang", () => undefined],
  ] as const)("is retried once, after the pause, when the receiver does %s", async (path, behaviour) => {
    receiver.behave(path, behaviour);
    const app = await addApp();
    const hook = await register(app, path);
    startWorker();
    await endDeploy(app, "success");
    const [delivery] = await finished(app, hook.id);
    expect(delivery).toMatchObject({ status: "failed", attempts: 2 });
    expect(delivery!["error"]).toMatch(/\.$/);
    const [first, second] = receiver.at(path);
    expect(receiver.received).toHaveLength(2);
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(quick.retryDelayMs);
    expect(second!.body.equals(first!.body)).toBe(true);
  });

  test("that fails once and then arrives is delivered", async () => {
    receiver.behave("/second", (response, n) => answer(n === 1 ? 503 : 204)(response, n));
    const app = await addApp();
    const hook = await register(app, "/second");
    startWorker();
    await endDeploy(app, "success");
    expect(await finished(app, hook.id)).toMatchObject([
      { status: "delivered", attempts: 2, response_status: 204, error: null },
    ]);
  });

  test.each([400, 404, 410, 429])("that is answered %i is not tried again", async (status) => {
    receiver.behave("/4xx", answer(status));
    const app = await addApp();
    const hook = await register(app, "/4xx");
    startWorker();
    await endDeploy(app, "success");
    expect(await finished(app, hook.id)).toMatchObject([{ status: "failed", attempts: 1, response_status: status }]);
    expect(receiver.received).toHaveLength(1);
  });

  test("does not reach a receiver whose certificate nobody vouches for", async () => {
    const app = await addApp();
    const hook = await register(app, "/untrusted");
    const untrusting = createGuardedFetch({ allowCidrs: ["127.0.0.1/32"], caPem: "", dnsServers: [] });
    startWorker({}, untrusting);
    await endDeploy(app, "success");
    const [delivery] = await finished(app, hook.id);
    expect(delivery).toMatchObject({ status: "failed", attempts: 2, response_status: null });
    expect(delivery!["error"]).toMatch(/certificate/);
    expect(receiver.received).toEqual([]);
  });

  test.each(["10.1.2.3", "127.0.0.2", "169.254.169.254", "::1", "::ffff:10.0.0.1"])(
    "goes nowhere when the name has been moved to %s since",
    async (moved) => {
      let target = "127.0.0.1";
      zone.set("hooks.test", () => [target]);
      const app = await addApp();
      const hook = await register(app, "/moved", `hooks.test:${receiver.port}`);
      target = moved;
      startWorker();
      await endDeploy(app, "success");
      const [delivery] = await finished(app, hook.id);
      expect(delivery).toMatchObject({ status: "failed", response_status: null });
      expect(delivery!["error"]).toMatch(/hooks\.test leads to .* which is /);
      expect(receiver.received).toEqual([]);
    },
  );

  test("connects to the address that was checked, however the name server answers next", async () => {
    // Allowed at registration and at the check of the delivery; every further question would lead elsewhere.
    zone.set("rebinding.test", (n) => (n <= 2 ? ["127.0.0.1"] : ["10.1.2.3"]));
    const app = await addApp();
    const hook = await register(app, "/pinned", `rebinding.test:${receiver.port}`);
    startWorker();
    await endDeploy(app, "success");
    expect(await finished(app, hook.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
    expect(names.questions.filter((question) => question === "A rebinding.test")).toHaveLength(2);
  });

  test("to a receiver that hangs keeps no other waiting", async () => {
    receiver.behave("/stuck", () => undefined);
    const slow = await addApp();
    const stuck = await register(slow, "/stuck");
    for (let i = 0; i < 12; i++) await endDeploy(slow, "success");
    const app = await addApp();
    const hook = await register(app, "/swift");
    await endDeploy(app, "success");
    startWorker({ timeoutMs: 30_000 });
    expect(await finished(app, hook.id)).toMatchObject([{ status: "delivered" }]);
    expect(receiver.at("/stuck")).toHaveLength(1);
    await ada.call("DELETE", `/api/apps/${slow}/webhooks/${stuck.id}`);
  });

  test("is taken over from a worker that died with it, and keeps its retry", async () => {
    receiver.behave("/orphan", (response, n) => answer(n === 1 ? 500 : 200)(response, n));
    const app = await addApp();
    const hook = await register(app, "/orphan");
    await endDeploy(app, "success");
    const claimed = await claimDelivery(http.database.db, [], 400);
    expect(claimed?.webhook_id).toBe(hook.id);
    expect(await claimDelivery(http.database.db, [], 400)).toBeUndefined();
    startWorker();
    expect(await finished(app, hook.id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });

  test("of a process that stops is given to another at once", async () => {
    let hangs = true;
    receiver.behave("/handed-over", (response) => void (hangs || response.writeHead(200).end()));
    const app = await addApp();
    const hook = await register(app, "/handed-over");
    const first = startWorker({ timeoutMs: 30_000, claimMs: 60_000 });
    await endDeploy(app, "success");
    await eventually("the first attempt", () => receiver.at("/handed-over")[0]);
    await first.stop();
    hangs = false;
    startWorker();
    expect(await finished(app, hook.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("can be sent again with the same bytes, and the last 50 are kept", async () => {
    const app = await addApp();
    const hook = await register(app, "/again");
    startWorker();
    const deployId = await endDeploy(app, "failed");
    const [sent] = await finished(app, hook.id);
    const path = `/api/apps/${app}/webhooks/${hook.id}/deliveries`;
    const again = await ada.call("POST", `${path}/${String(sent!["id"])}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.json["delivery"]).toMatchObject({ status: "pending", attempts: 0, deploy_id: deployId });
    await eventually("the second", () => receiver.at("/again")[1]);
    const [one, two] = receiver.at("/again");
    expect(two!.body.equals(one!.body)).toBe(true);
    expect(two!.headers["x-service-signature"]).toBe(one!.headers["x-service-signature"]);

    expect((await ada.call("POST", `${path}/${newId()}/redeliver`)).status).toBe(404);
    const other = await addApp();
    const foreign = `/api/apps/${other}/webhooks/${hook.id}/deliveries`;
    expect((await ada.call("GET", foreign)).status).toBe(404);
    expect((await ada.call("POST", `${foreign}/${String(sent!["id"])}/redeliver`)).status).toBe(404);

    for (let i = 0; i < 55; i++) await ada.call("POST", `${path}/${String(sent!["id"])}/redeliver`);
    await eventually("all of them", () => receiver.at("/again")[40]);
    await finished(app, hook.id);
    const { rows } = await http.database.query("select id from webhook_deliveries where webhook_id = $1", [hook.id]);
    expect(rows).toHaveLength(50);
  });
});

test("the pause before a retry and the time limit are the ones decided", () => {
  expect(webhookTiming).toMatchObject({ retryDelayMs: 5_000, timeoutMs: 10_000 });
  expect(webhookTiming.claimMs).toBeGreaterThan(webhookTiming.timeoutMs);
});
