import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { Health, WatchStatusResponseSchema, type StatusSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { beforeEach, expect, test } from "vitest";
import { useAppWorld } from "../../support/api/app-world.ts";
import { hearStatuses } from "../../support/agent/hear-statuses.ts";
import { tellingLink } from "../../support/agent/telling-link.ts";

/** This is longer than an answer takes to be recorded after the agent has told of what it did. */
const LATER_MS = 4_000;

const world = useAppWorld();
let appId: string;

beforeEach(async () => {
  ({ appId } = await world.live());
});

type Told = MessageInitShape<typeof StatusSchema>;

/** Reports statuses of the agent, each some time after the one before, and what comes to pass before the second. */
async function hear(told: Told[], between: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  const end = new AbortController();
  let aheadMs = 0;
  async function* statuses() {
    for (const [index, status] of told.entries()) {
      if (index === 1) await between();
      yield create(WatchStatusResponseSchema, { status });
      aheadMs += LATER_MS;
    }
    end.abort();
  }
  const link = tellingLink({ serverId: world.serverId, retired: end.signal, statuses });
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  // The figures are written once in the time of the test; what is told of apps is heard each time.
  await hearStatuses({ link, db: world.http.database.db, clock, storeMsMin: 60_000 });
}

const container = (state: string, health: Health) => ({
  app: { id: appId, name: world.name },
  containerId: "c-1",
  state,
  health,
});
const stopped = (): Told => ({
  apps: [container("exited", Health.NOT_SERVING)],
  ownerStoppedAppIds: [appId, "not an id"],
});
const serving = (): Told => ({ apps: [container("running", Health.SERVING)] });

const act = (action: string) => world.ada.call("POST", `/api/apps/${world.name}/action`, { action });
async function status(): Promise<unknown> {
  const { apps } = (await world.ada.call("GET", "/api/apps")).json as { apps: Record<string, unknown>[] };
  return apps.find(({ name }) => name === world.name)!["status"];
}
test("an app that was stopped and started is not healthy since before", async () => {
  const { db } = world.http.database;
  const before = { state: "healthy", reason: null, since: "2026-01-31T12:00:00.000Z" };
  await db
    .updateTable("apps")
    .set({ health: JSON.stringify(before) })
    .where("id", "=", appId)
    .execute();
  expect((await act("stop")).status).toBe(200);
  expect((await act("start")).status).toBe(200);
  const startedAt = new Date("2026-01-31T14:00:00.000Z");
  const [app] = serving().apps!;
  await hear([{ observedAt: timestampFromDate(startedAt), apps: [{ ...app!, since: timestampFromDate(startedAt) }] }]);
  const { health } = await db.selectFrom("apps").select("health").where("id", "=", appId).executeTakeFirstOrThrow();
  expect(health).toEqual({ ...before, since: startedAt.toISOString() });
});

const entries = async () =>
  (
    await world.http.database.query(
      "select actor, action, detail from audit_log where target = $1 and actor = 'system' and action like 'app.st%'",
      [`app:${appId}`],
    )
  ).rows;

test("an app whose stop was carried out without an answer is shown as stopped, and audited once", async () => {
  await hear([stopped(), stopped(), stopped()]);
  await hear([stopped(), stopped()]);
  expect(await status()).toBe("stopped");
  expect(await entries()).toEqual([
    { actor: "system", action: "app.stop", detail: { name: world.name, reason: "observed" } },
  ]);
});

test("an app whose start was carried out without an answer is shown as running", async () => {
  await act("stop");
  await hear([serving(), serving()]);
  expect(await status()).toBe("running");
  expect(await entries()).toMatchObject([{ action: "app.start" }]);
});

test("a status from just before the recorded answer of a stop or a start changes nothing", async () => {
  await hear([stopped(), serving()]);
  expect(await status()).toBe("running");
  await hear([stopped(), stopped()], () => act("stop"));
  expect(await status()).toBe("stopped");
  await hear([serving(), serving()], () => act("start"));
  expect(await status()).toBe("running");
  expect(await entries()).toEqual([]);
});

test("an app that the platform has stopped, and one that was soft-stopped, stay so", async () => {
  const { query } = world.http.database;
  await query("update apps set status = 'stopped', platform_stop_holds = true where id = $1", [appId]);
  await hear([serving(), serving()]);
  expect(await entries()).toEqual([]);
  await query("update apps set status = 'soft_stopped' where id = $1", [appId]);
  await hear([serving(), serving()]);
  expect(await entries()).toEqual([]);
});
