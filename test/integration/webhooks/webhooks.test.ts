import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import { recordDeployEnd } from "@svc/control-plane/deploys/record-deploy-end.ts";
import { withClaim } from "@svc/control-plane/deploys/deploy-claims.store.ts";
import { isSigned } from "../../support/doubles/webhook-receiver.ts";
import { appsAddress, startWebhookWorld, type WebhookWorld } from "../../support/api/webhook-world.ts";
import { promise } from "../../support/promises/promise.ts";

let world: WebhookWorld;

beforeAll(async () => {
  world = await startWebhookWorld();
});
afterEach(() => world.tidy());
afterAll(() => world?.stop());

describe("a webhook", () => {
  test("shows its secret once, and is listed and deleted by its app alone", async () => {
    promise(
      "webhooks",
      "a webhook's secret is shown when it is made, and never again",
      "webhooks are listed with id, URL and time, without their secrets",
      "a webhook is deleted with 204, and one that the app does not have with 404",
    );
    const app = await world.addApp();
    const created = await world.ada.call("POST", `/api/apps/${app}/webhooks`, {
      url: `https://hooks.test:${world.receiver.port}/x?token=1`,
    });
    expect(created.status).toBe(201);
    expect(Object.keys(created.json)).toEqual(["id", "url", "secret", "created_at"]);
    const { id, url, secret, created_at } = created.json;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const listed = await world.ada.call("GET", `/api/apps/${app}/webhooks`);
    expect(listed.json).toEqual({ webhooks: [{ id, url, created_at }] });
    const { rows } = await world.http.database.query("select secret from webhooks where id = $1", [id]);
    expect((rows[0]!["secret"] as Buffer).includes(String(secret))).toBe(false);

    const other = await world.addApp();
    expect((await world.ada.call("DELETE", `/api/apps/${other}/webhooks/${String(id)}`)).status).toBe(404);
    expect((await world.ada.call("DELETE", `/api/apps/${app}/webhooks/not-an-id`)).status).toBe(404);
    expect((await world.ada.call("DELETE", `/api/apps/${app}/webhooks/${String(id)}`)).status).toBe(204);
    expect((await world.ada.call("DELETE", `/api/apps/${app}/webhooks/${String(id)}`)).status).toBe(404);
    expect((await world.ada.call("GET", `/api/apps/${app}/webhooks`)).json).toEqual({ webhooks: [] });
  });

  test("is one of five at most, also when many are registered at once", async () => {
    promise("webhooks", "an app has up to 5 webhooks");
    const app = await world.addApp();
    const url = `https://127.0.0.1:${world.receiver.port}/`;
    const replies = await Promise.all(
      Array.from({ length: 9 }, () => world.ada.call("POST", `/api/apps/${app}/webhooks`, { url })),
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
    promise(
      "webhooks",
      "a webhook's URL is HTTPS and holds no credentials",
      "a webhook's URL leads to a public address",
    );
    world.zone.set("private.test", () => ["192.168.7.7"]);
    world.zone.set("half-private.test", () => ["8.8.8.8", "10.1.2.3"]);
    world.zone.set("mapped.test", () => ["::ffff:10.1.2.3"]);
    world.zone.set("metadata.test", () => ["169.254.169.254"]);
    const app = await world.addApp();
    const reply = await world.ada.call("POST", `/api/apps/${app}/webhooks`, { url });
    expect([reply.status, reply.json["error"]]).toEqual([400, "invalid_webhook_url"]);
    expect(reply.text).not.toContain("secret");
    expect((await world.ada.call("GET", `/api/apps/${app}/webhooks`)).json).toEqual({ webhooks: [] });
  });

  test("needs its scope", async () => {
    const app = await world.addApp();
    const reader = await world.http.addCaller({ userId: world.ada.userId, scopes: ["webhooks:read"] });
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
    promise(
      "webhooks",
      "the end of a deploy is sent to every webhook of its app",
      "a deploy that succeeded is sent as deploy.succeeded",
      "a deploy that failed is sent as deploy.failed",
      "an event names app, deploy, status, URL and time",
      "an event's headers name it and its webhook, and sign its exact bytes",
    );
    const app = await world.addApp();
    const hooks = [await world.register(app, "/a"), await world.register(app, "/b")];
    world.startWorker();
    world.startWorker();
    const deployId = await world.endDeploy(app, end);
    for (const { id } of hooks) await world.finished(app, id);

    expect(world.receiver.received).toHaveLength(2);
    for (const [i, path] of ["/a", "/b"].entries()) {
      const [request] = world.receiver.at(path);
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
    expect(await world.deliveriesOf(app, hooks[0]!.id)).toMatchObject([
      { event, status: "delivered", deploy_id: deployId, attempts: 1, response_status: 200, error: null },
    ]);
  });

  test("that waits is counted in the metrics", async () => {
    const app = await world.addApp();
    await world.register(app, "/waiting");
    await world.endDeploy(app, "success");
    const { rows } = await world.http.database.query(
      "select count(*)::integer as count from webhook_deliveries where next_attempt_at is not null",
    );
    const count = Number(rows[0]!["count"]);
    expect(count).toBeGreaterThan(0);
    const text = await world.http.metrics.text();
    expect(text).toContain(`\nsvc_webhook_deliveries_waiting ${count}\n`);
  });

  test("that is not committed is told to nobody", async () => {
    const app = await world.addApp();
    const hook = await world.register(app, "/never");
    world.startWorker();
    const { claim } = await world.claimedDeploy(app);
    const ending = withClaim(world.http.database.db, claim, async (trx) => {
      await recordDeployEnd(trx, claim, { status: "success" }, appsAddress);
      throw new Error("the process dies");
    });
    await expect(ending).rejects.toThrow("the process dies");
    expect(await world.deliveriesOf(app, hook.id)).toEqual([]);
  });

  test("that was canceled while it waited is told as well", async () => {
    const app = await world.addApp();
    const hook = await world.register(app, "/canceled");
    world.startWorker();
    // With no agent there, it waits.
    world.http.links.linked.clear();
    expect((await world.ada.call("POST", `/api/apps/${app}/deploy`)).json).toEqual({ status: "queued" });
    const { rows } = await world.http.database.query(
      "select d.id from deploys d join apps a on a.id = d.app_id where a.name = $1",
      [app],
    );
    expect((await world.ada.call("POST", `/api/deploys/${String(rows[0]!["id"])}/cancel`)).status).toBe(202);
    expect(await world.finished(app, hook.id)).toMatchObject([{ event: "deploy.failed", deploy_id: rows[0]!["id"] }]);
    expect(JSON.parse(world.receiver.at("/canceled")[0]!.body.toString())).toMatchObject({ status: "canceled" });
  });

  test("of a rollback names the deploy that it went back to, and only once it has switched", async () => {
    promise("webhooks", "a rollback is sent as deploy.rolled_back");
    const app = await world.addApp();
    const hook = await world.register(app, "/rollback");
    world.startWorker();
    const first = await world.claimedDeploy(app);
    const release = newId();
    const { query } = world.http.database;
    await query(
      `insert into releases (id, app_id, deploy_id, name, image_digest, commit_sha, framework, port, env)
       values ($1, $2, $3, 'v1', 'sha256:x', 'a', 'node', 3000, '')`,
      [release, first.claim.appId, first.deployId],
    );
    await withClaim(world.http.database.db, first.claim, (trx) =>
      recordDeployEnd(trx, first.claim, { status: "success", releaseId: release }, appsAddress),
    );
    for (const status of ["failed", "success"] as const) {
      const { claim, deployId } = await world.claimedDeploy(app);
      await query("update deploys set kind = 'rollback', target_release_id = $2 where id = $1", [deployId, release]);
      const end = { status, ...(status === "success" && { releaseId: release }) };
      await withClaim(world.http.database.db, claim, (trx) => recordDeployEnd(trx, claim, end, appsAddress));
    }
    expect(await world.finished(app, hook.id)).toMatchObject([
      { event: "deploy.rolled_back", deploy_id: first.deployId },
      { event: "deploy.succeeded", deploy_id: first.deployId },
    ]);
    const bodies = world.receiver.at("/rollback").map(({ body }) => JSON.parse(body.toString()) as { status: string });
    expect(bodies.map(({ status }) => status).sort()).toEqual(["rolled_back", "succeeded"]);
  });
});
