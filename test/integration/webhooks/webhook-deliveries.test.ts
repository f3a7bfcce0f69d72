import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { claimDelivery } from "@svc/control-plane/webhooks/webhook-deliveries.store.ts";
import { webhookTiming } from "@svc/control-plane/webhooks/deliverer.ts";
import { answer } from "../../support/doubles/webhook-receiver.ts";
import { quickTiming, startWebhookWorld, type WebhookWorld } from "../../support/api/webhook-world.ts";
import { promise } from "../../support/promises/promise.ts";

const NONE_BUSY = { webhookIds: [], ownerIds: [] };

let world: WebhookWorld;

beforeAll(async () => {
  world = await startWebhookWorld();
});
afterEach(() => world.tidy());
afterAll(() => world?.stop());

describe("a delivery", () => {
  test.each([
    ["/500", answer(500)],
    ["/302", answer(302, { location: "https://127.0.0.1/elsewhere" })],
    ["/reset", (response: { destroy(): void }) => response.destroy()],
    ["/hang", () => undefined],
  ] as const)("is retried once, after the pause, when the receiver does %s", async (path, behaviour) => {
    promise("webhooks", "a delivery follows no redirect", "a delivery is tried twice at most");
    world.receiver.behave(path, behaviour);
    const app = await world.addApp();
    const hook = await world.register(app, path);
    // The receiver hears of each attempt within that time, also on a busy machine.
    world.startWorker({ timeoutMs: 2_000 });
    await world.endDeploy(app, "success");
    const [delivery] = await world.finished(app, hook.id);
    expect(delivery).toMatchObject({ status: "failed", attempts: 2 });
    expect(delivery!["error"]).toMatch(/\.$/);
    const [first, second] = world.receiver.at(path);
    expect(world.receiver.received).toHaveLength(2);
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(quickTiming.retryDelayMs);
    expect(second!.body.equals(first!.body)).toBe(true);
  });

  test("that fails once and then arrives is delivered", async () => {
    promise("webhooks", "a delivery that fails is tried once more");
    world.receiver.behave("/second", (response, n) => answer(n === 1 ? 503 : 204)(response, n));
    const app = await world.addApp();
    const hook = await world.register(app, "/second");
    world.startWorker();
    await world.endDeploy(app, "success");
    expect(await world.finished(app, hook.id)).toMatchObject([
      { status: "delivered", attempts: 2, response_status: 204, error: null },
    ]);
  });

  test.each([400, 404, 410, 429])("that is answered %i is not tried again", async (status) => {
    promise("webhooks", "a delivery that is answered with 4xx is not tried again");
    world.receiver.behave("/4xx", answer(status));
    const app = await world.addApp();
    const hook = await world.register(app, "/4xx");
    world.startWorker();
    await world.endDeploy(app, "success");
    expect(await world.finished(app, hook.id)).toMatchObject([
      { status: "failed", attempts: 1, response_status: status },
    ]);
    expect(world.receiver.received).toHaveLength(1);
  });

  test("does not reach a receiver whose certificate nobody vouches for", async () => {
    const app = await world.addApp();
    const hook = await world.register(app, "/untrusted");
    const untrusting = createGuardedFetch({ allowCidrs: ["127.0.0.1/32"], caPem: "", dnsServers: [] });
    world.startWorker({}, untrusting);
    await world.endDeploy(app, "success");
    const [delivery] = await world.finished(app, hook.id);
    expect(delivery).toMatchObject({ status: "failed", attempts: 2, response_status: null });
    expect(delivery!["error"]).toMatch(/certificate/);
    expect(world.receiver.received).toEqual([]);
  });

  test.each(["10.1.2.3", "127.0.0.2", "169.254.169.254", "::1", "::ffff:10.0.0.1"])(
    "goes nowhere when the name has been moved to %s since",
    async (moved) => {
      let target = "127.0.0.1";
      world.zone.set("hooks.test", () => [target]);
      const app = await world.addApp();
      const hook = await world.register(app, "/moved", `hooks.test:${world.receiver.port}`);
      target = moved;
      world.startWorker();
      await world.endDeploy(app, "success");
      const [delivery] = await world.finished(app, hook.id);
      expect(delivery).toMatchObject({ status: "failed", response_status: null });
      expect(delivery!["error"]).toMatch(/hooks\.test leads to .* which is /);
      expect(world.receiver.received).toEqual([]);
    },
  );

  test("connects to the address that was checked, however the name server answers next", async () => {
    promise("webhooks", "a webhook's address is checked again at each delivery");
    // Allowed at registration and at the check of the delivery; every further question would lead elsewhere.
    world.zone.set("rebinding.test", (n) => (n <= 2 ? ["127.0.0.1"] : ["10.1.2.3"]));
    const app = await world.addApp();
    const hook = await world.register(app, "/pinned", `rebinding.test:${world.receiver.port}`);
    world.startWorker();
    await world.endDeploy(app, "success");
    expect(await world.finished(app, hook.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
    expect(world.names.questions.filter((question) => question === "A rebinding.test")).toHaveLength(2);
  });

  test("to a receiver that hangs keeps no other waiting", async () => {
    world.receiver.behave("/stuck", () => undefined);
    const slow = await world.addApp();
    const stuck = await world.register(slow, "/stuck");
    for (let i = 0; i < 12; i++) await world.endDeploy(slow, "success");
    const app = await world.addApp();
    const hook = await world.register(app, "/swift");
    await world.endDeploy(app, "success");
    world.startWorker({ timeoutMs: 30_000 });
    expect(await world.finished(app, hook.id)).toMatchObject([{ status: "delivered" }]);
    await world.receiver.arrived("/stuck", 1);
    expect(world.receiver.at("/stuck")).toHaveLength(1);
    await world.ada.call("DELETE", `/api/apps/${slow}/webhooks/${stuck.id}`);
  });

  test("is made while another owner's receivers hang, however many they are", async () => {
    const dead: string[] = [];
    for (const app of [await world.addApp(), await world.addApp()]) {
      for (let i = 0; i < 5; i++) {
        const path = `/dead-${app}-${i}`;
        world.receiver.behave(path, () => undefined);
        const { id } = await world.register(app, path);
        dead.push(`/api/apps/${app}/webhooks/${id}`);
      }
      await world.endDeploy(app, "success");
    }
    const bob = await world.http.addCaller();
    const app = await world.addApp(bob);
    const url = `https://127.0.0.1:${world.receiver.port}/bobs`;
    expect(await bob.call("POST", `/api/apps/${app}/webhooks`, { url })).toMatchObject({ status: 201 });
    await world.endDeploy(app, "success");
    // Nobody's attempt ends before the test does: what arrives found a place.
    world.startWorker({ timeoutMs: 60_000, claimMs: 120_000 });
    await world.receiver.arrived("/bobs", 1);
    const paths = world.receiver.received.map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith("/dead-")).length).toBeLessThanOrEqual(2);
    for (const path of dead) await world.ada.call("DELETE", path);
  });

  test("is taken over from a worker that died with it, and keeps its retry", async () => {
    world.receiver.behave("/orphan", (response, n) => answer(n === 1 ? 500 : 200)(response, n));
    const app = await world.addApp();
    const hook = await world.register(app, "/orphan");
    await world.endDeploy(app, "success");
    const claimed = await claimDelivery(world.http.database.db, NONE_BUSY, 2_000);
    expect(claimed?.webhook_id).toBe(hook.id);
    expect(await claimDelivery(world.http.database.db, NONE_BUSY, 2_000)).toBeUndefined();
    world.startWorker();
    expect(await world.finished(app, hook.id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });

  test("of a process that stops is given to another at once", async () => {
    let hangs = true;
    world.receiver.behave("/handed-over", (response) => void (hangs || response.writeHead(200).end()));
    const app = await world.addApp();
    const hook = await world.register(app, "/handed-over");
    const first = world.startWorker({ timeoutMs: 30_000, claimMs: 60_000 });
    await world.endDeploy(app, "success");
    await world.receiver.arrived("/handed-over", 1);
    await first.stop();
    hangs = false;
    world.startWorker();
    expect(await world.finished(app, hook.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("is made once, however many processes look for work", async () => {
    const app = await world.addApp();
    const hooks = [];
    for (let i = 0; i < 5; i++) hooks.push(await world.register(app, `/crowd-${i}`));
    for (let i = 0; i < 6; i++) world.startWorker();
    for (let i = 0; i < 4; i++) await world.endDeploy(app, "success");
    for (const { id } of hooks) expect(await world.finished(app, id)).toHaveLength(4);
    expect(world.receiver.received).toHaveLength(20);
  });

  test("can be sent again with the same bytes, and the last 50 are kept", async () => {
    const app = await world.addApp();
    const hook = await world.register(app, "/again");
    world.startWorker();
    const deployId = await world.endDeploy(app, "failed");
    const [sent] = await world.finished(app, hook.id);
    const path = `/api/apps/${app}/webhooks/${hook.id}/deliveries`;
    const again = await world.ada.call("POST", `${path}/${String(sent!["id"])}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.json["delivery"]).toMatchObject({ status: "pending", attempts: 0, deploy_id: deployId });
    await world.receiver.arrived("/again", 2);
    const [one, two] = world.receiver.at("/again");
    expect(two!.body.equals(one!.body)).toBe(true);
    expect(two!.headers["x-service-signature"]).toBe(one!.headers["x-service-signature"]);

    expect((await world.ada.call("POST", `${path}/${newId()}/redeliver`)).status).toBe(404);
    const other = await world.addApp();
    const foreign = `/api/apps/${other}/webhooks/${hook.id}/deliveries`;
    expect((await world.ada.call("GET", foreign)).status).toBe(404);
    expect((await world.ada.call("POST", `${foreign}/${String(sent!["id"])}/redeliver`)).status).toBe(404);

    for (let i = 0; i < 55; i++) await world.ada.call("POST", `${path}/${String(sent!["id"])}/redeliver`);
    await world.receiver.arrived("/again", 41);
    await world.finished(app, hook.id);
    const { rows } = await world.http.database.query("select id from webhook_deliveries where webhook_id = $1", [
      hook.id,
    ]);
    expect(rows).toHaveLength(50);
  });

  test("is listed with its own webhook on request, and with no other", async () => {
    const app = await world.addApp();
    const [one, two] = [await world.register(app, "/one"), await world.register(app, "/two")];
    world.startWorker();
    await world.endDeploy(app, "failed");
    await world.endDeploy(app, "failed");
    for (const { id } of [one, two]) await world.finished(app, id);
    const three = await world.register(app, "/three");

    const path = `/api/apps/${app}/webhooks`;
    const { json } = await world.ada.call("GET", `${path}?deliveries=1`);
    const listed = [];
    for (const { id } of [one, two, three]) {
      const { deliveries } = (await world.ada.call("GET", `${path}/${id}/deliveries`)).json;
      listed.push({ id, deliveries });
    }
    expect(listed.map(({ deliveries }) => (deliveries as unknown[]).length)).toEqual([2, 2, 0]);
    expect(json["webhooks"]).toMatchObject(listed);
    for (const query of ["", "?deliveries=0"]) {
      const plain = await world.ada.call("GET", `${path}${query}`);
      expect(plain.json["webhooks"]).toMatchObject([{ id: one.id }, { id: two.id }, { id: three.id }]);
      expect(plain.text).not.toContain("deliveries");
    }
    expect((await world.ada.call("GET", `${path}?deliveries=all`)).json).toMatchObject({ error: "invalid_request" });
  });
});

test("the pause before a retry and the time limit are the ones decided", () => {
  expect(webhookTiming).toMatchObject({ retryDelayMs: 5_000, timeoutMs: 10_000 });
  expect(webhookTiming.claimMs).toBeGreaterThan(webhookTiming.timeoutMs);
});
