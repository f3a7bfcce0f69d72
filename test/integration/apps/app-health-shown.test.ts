import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordHearings, recordLink } from "@svc/control-plane/fleet/links/server-links.store.ts";
import {
  Health,
  WatchStatusResponseSchema,
  UnhealthyReason,
  type StatusSchema,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hearStatuses } from "../../support/agent/hear-statuses.ts";
import { tellingLink } from "../../support/agent/telling-link.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";
import { startWebhookWorld, type RegisteredWebhook, type WebhookWorld } from "../../support/api/webhook-world.ts";

const AT = new Date("2026-01-31T12:00:00.000Z");
const after = (seconds: number): Date => new Date(AT.getTime() + seconds * 1000);
const UNKNOWN = { state: "unknown", reason: null, since: null };

let world: WebhookWorld;
let serverId: string;
let name: string;
let appId: string;
let deployId: string;

beforeAll(async () => {
  world = await startWebhookWorld();
  serverId = await world.http.addServer("server-1");
});
afterAll(() => world?.stop());
afterEach(() => world.tidy());

beforeEach(async () => {
  const { http, ada } = world;
  name = await world.addApp();
  const release = { name, userId: ada.userId, serverId };
  ({ appId, deployId } = await addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, release));
  await recordLink(
    http.database.db,
    serverId,
    { processId: newId(), validMs: 60_000 },
    new Date(Date.now() + 3_600_000),
  );
});

/** The agent tells it to the control plane that holds its link. */
async function hear(...told: MessageInitShape<typeof StatusSchema>[]): Promise<void> {
  const end = new AbortController();
  async function* statuses() {
    for (const status of told) yield create(WatchStatusResponseSchema, { status });
    end.abort();
  }
  const link = tellingLink({ serverId, retired: end.signal, statuses });
  const { db } = world.http.database;
  await hearStatuses({ link, db });
  await recordHearings(db, [serverId]);
}

/** The app, as a status shows it that was observed so many seconds after AT. */
function told(seconds: number, reason?: UnhealthyReason, since = seconds): MessageInitShape<typeof StatusSchema> {
  const container = { app: { id: appId, name }, containerId: "c-1", state: "running" };
  const health = reason === undefined ? Health.SERVING : Health.NOT_SERVING;
  return {
    observedAt: timestampFromDate(after(seconds)),
    apps: [{ ...container, health, ...(reason && { reason }), since: timestampFromDate(after(since)) }],
  };
}

async function healthOf(app = name): Promise<unknown> {
  const { apps } = (await world.ada.call("GET", "/api/apps")).json as { apps: Record<string, unknown>[] };
  return apps.find((each) => each["name"] === app)?.["health"];
}

const AUDITED =
  "select actor, action, detail from audit_log where target = $1 and action in ('app.unhealthy', 'app.recovered') order by id";
const audited = async () => (await world.http.database.query(AUDITED, [`app:${appId}`])).rows;

describe("the health of an app", () => {
  test("is unknown before its agent has told of it, and healthy since when it serves", async () => {
    await hear({});
    expect(await healthOf()).toEqual(UNKNOWN);
    await hear(told(0));
    expect(await healthOf()).toEqual({ state: "healthy", reason: null, since: AT.toISOString() });
    expect(await audited()).toEqual([]);
  });

  test.each([
    [UnhealthyReason.CRASH_LOOP, "crash_loop"],
    [UnhealthyReason.OUT_OF_MEMORY, "out_of_memory"],
    [UnhealthyReason.NOT_LISTENING, "not_listening"],
    [UnhealthyReason.GONE, "gone"],
  ])(
    "is unhealthy with the reason that its agent tells (%i), while its status stays as specified",
    async (reason, shown) => {
      await hear(told(0), told(5, reason));
      expect(await healthOf()).toEqual({ state: "unhealthy", reason: shown, since: after(5).toISOString() });
      const { apps } = (await world.ada.call("GET", "/api/apps")).json as { apps: Record<string, unknown>[] };
      expect(apps.find((app) => app["name"] === name)).toMatchObject({ status: "running", stopped_by: null });
      const { json } = await world.ada.call("PATCH", `/api/apps/${name}`, { port: 3000 });
      expect((json["app"] as Record<string, unknown>)["health"]).toMatchObject({ reason: shown });
    },
  );

  test("is unknown, with since when, as soon as its server is away or silent for 10 s, and known again after that", async () => {
    const { db } = world.http.database;
    await hear(told(0));
    const away = { state: "unknown", reason: "server_away", since: expect.stringMatching(/^20.*Z$/) };
    await db.updateTable("servers").set({ link_until: null }).where("id", "=", serverId).execute();
    expect(await healthOf()).toEqual(away);
    await recordLink(db, serverId, { processId: newId(), validMs: 60_000 }, new Date(Date.now() + 3_600_000));
    expect(await healthOf()).toMatchObject({ state: "healthy" });
    const silent = new Date(Date.now() - 10_000);
    await db.updateTable("server_hearings").set({ heard_at: silent }).where("server_id", "=", serverId).execute();
    expect(await healthOf()).toEqual({ ...away, since: silent.toISOString() });
    await hear(told(20));
    expect(await healthOf()).toMatchObject({ state: "healthy" });
    expect(await audited()).toEqual([]);
  });

  test("is unknown of an app that is stopped, whatever its agent still tells", async () => {
    const { db } = world.http.database;
    await db.updateTable("apps").set({ status: "stopped" }).where("id", "=", appId).execute();
    await hear(told(0, UnhealthyReason.GONE));
    expect(await healthOf()).toEqual(UNKNOWN);
    expect(await audited()).toEqual([]);
  });

  test("is not told by the agent of another server", async () => {
    const other = await world.http.addServer(`server-${name}`);
    await world.http.database.db.updateTable("apps").set({ server_id: other }).where("id", "=", appId).execute();
    await hear(told(0, UnhealthyReason.GONE));
    expect(await audited()).toEqual([]);
  });

  test("is told of an app that went live between two statuses that are the same", async () => {
    const { db } = world.http.database;
    await db.updateTable("apps").set({ status: "failed" }).where("id", "=", appId).execute();
    const end = new AbortController();
    async function* statuses() {
      yield create(WatchStatusResponseSchema, { status: told(0) });
      await db.updateTable("apps").set({ status: "running" }).where("id", "=", appId).execute();
      yield create(WatchStatusResponseSchema, { status: told(4, undefined, 0) });
      end.abort();
    }
    const link = tellingLink({ serverId, retired: end.signal, statuses });
    await hearStatuses({ link, db, storeMsMin: 60_000 });
    await recordHearings(db, [serverId]);
    expect(await healthOf()).toMatchObject({ state: "healthy" });
  });
});

describe("changes of an app's health", () => {
  const HEALTH_EVENTS = ["app.unhealthy", "app.recovered"];

  async function register(path: string, events?: string[]): Promise<RegisteredWebhook> {
    const url = `https://127.0.0.1:${world.receiver.port}${path}`;
    const reply = await world.ada.call("POST", `/api/apps/${name}/webhooks`, { url, ...(events && { events }) });
    expect(reply.status).toBe(201);
    return { id: String(reply.json["id"]), secret: String(reply.json["secret"]) };
  }

  const eventsAt = (path: string) =>
    world.receiver.at(path).map(({ body }) => JSON.parse(body.toString("utf8")) as Record<string, unknown>);

  test("are audited as the owner's, once for each change, whatever the reasons in between", async () => {
    await hear(told(0), told(5, UnhealthyReason.NOT_LISTENING), told(6, UnhealthyReason.CRASH_LOOP, 5));
    expect(await healthOf()).toEqual({ state: "unhealthy", reason: "crash_loop", since: after(5).toISOString() });
    await hear(told(7));
    await hear(told(8, UnhealthyReason.CRASH_LOOP), told(9), told(19, undefined, 9));
    expect(await audited()).toEqual([
      { actor: "system", action: "app.unhealthy", detail: { name, reason: "not_listening" } },
      { actor: "system", action: "app.recovered", detail: { name } },
    ]);
    expect(await healthOf()).toEqual({ state: "healthy", reason: null, since: after(9).toISOString() });
  });

  test("a recovery shows at once and is told when the app has served for 10 s, and not of one that ends again before", async () => {
    await hear(
      told(0, UnhealthyReason.CRASH_LOOP),
      told(1),
      told(10.9, undefined, 1),
      told(11, UnhealthyReason.CRASH_LOOP),
    );
    expect(await healthOf()).toEqual({ state: "unhealthy", reason: "crash_loop", since: after(11).toISOString() });
    await hear(told(12), told(21.9, undefined, 12));
    expect(await healthOf()).toEqual({ state: "healthy", reason: null, since: after(12).toISOString() });
    expect(await audited()).toHaveLength(1);
    await hear(told(22, undefined, 12));
    expect(await audited()).toHaveLength(2);
  });

  test("reach the webhooks that ask for them, with the specified fields and the reason, and no others", async () => {
    await register("/deploys");
    const hook = await register("/health", HEALTH_EVENTS);
    await register("/unhealthy", ["app.unhealthy"]);
    world.startWorker();
    await hear(told(0), told(5, UnhealthyReason.OUT_OF_MEMORY), told(6), told(16, undefined, 6));
    await eventually(
      () => eventsAt("/health").length,
      (count) => count === 2,
      { what: "both events arrive" },
    );
    const common = { app: name, deploy_id: deployId, url: `https://${name}.apps.localhost:8443` };
    const timestamp = expect.stringMatching(/^20.*Z$/) as string;
    expect(eventsAt("/health")).toEqual([
      { ...common, event: "app.unhealthy", status: "unhealthy", timestamp, reason: "out_of_memory" },
      { ...common, event: "app.recovered", status: "recovered", timestamp },
    ]);
    await world.finished(name, hook.id);
    await world.receiver.arrived("/unhealthy", 1);
    expect(eventsAt("/unhealthy")).toMatchObject([{ event: "app.unhealthy" }]);
    expect(eventsAt("/deploys")).toEqual([]);
    expect(await world.deliveriesOf(name, hook.id)).toMatchObject([
      { event: "app.recovered", deploy_id: deployId },
      { event: "app.unhealthy", deploy_id: deployId },
    ]);
  });

  test("are sent once over a restart of the control plane, and when two processes hear of them", async () => {
    const hook = await register("/once", HEALTH_EVENTS);
    // The process that heard of it ends before it has sent anything.
    await hear(told(0), told(5, UnhealthyReason.GONE));
    await Promise.all([hear(told(6, UnhealthyReason.GONE, 5)), hear(told(6, UnhealthyReason.GONE, 5))]);
    world.startWorker();
    await world.finished(name, hook.id);
    await hear(told(7, UnhealthyReason.GONE, 5));
    await Promise.all([hear(told(30, undefined, 8)), hear(told(30, undefined, 8))]);
    await eventually(
      () => eventsAt("/once").length,
      (count) => count === 2,
      { what: "the recovery arrives" },
    );
    await world.finished(name, hook.id);
    expect(eventsAt("/once").map(({ event }) => event)).toEqual(HEALTH_EVENTS);
  });

  test("deploys' events reach a webhook that asks for both kinds, and none that asks for health alone", async () => {
    const both = await register("/both", ["deploy.succeeded", ...HEALTH_EVENTS]);
    const health = await register("/health-alone", HEALTH_EVENTS);
    world.startWorker();
    await world.endDeploy(name, "success");
    await world.finished(name, both.id);
    expect(eventsAt("/both")).toMatchObject([{ event: "deploy.succeeded" }]);
    expect(await world.deliveriesOf(name, health.id)).toEqual([]);
  });
});

describe("a webhook's events", () => {
  const url = "https://hooks.test/";
  const createOne = (body: object) => world.ada.call("POST", `/api/apps/${name}/webhooks`, body);

  test("are shown when they are others than deploys', and an answer is as specified when they are not", async () => {
    expect(Object.keys((await createOne({ url })).json)).toEqual(["id", "url", "secret", "created_at"]);
    expect((await createOne({ url, events: ["app.unhealthy"] })).json["events"]).toEqual(["app.unhealthy"]);
    const { json } = await world.ada.call("GET", `/api/apps/${name}/webhooks`);
    expect(json["webhooks"]).toEqual([
      { id: expect.any(String), url, created_at: expect.any(String) },
      { id: expect.any(String), url, created_at: expect.any(String), events: ["app.unhealthy"] },
    ]);
  });

  test.each([[[]], [["app.died"]], [["app.unhealthy", "app.unhealthy"]], ["app.unhealthy"]])(
    "%j are refused, naming the property",
    async (events) => {
      expect(await createOne({ url, events })).toMatchObject({ status: 400, text: expect.stringContaining("events") });
    },
  );
});
