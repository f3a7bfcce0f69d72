import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { deleteOldAudit } from "@svc/control-plane/platform/audit.store.ts";
import { WatchStatusResponseSchema, StopReason, type StatusSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { beforeEach, expect, test } from "vitest";
import { hearStatuses } from "../../support/agent/hear-statuses.ts";
import { tellingLink } from "../../support/agent/telling-link.ts";
import { useAppWorld } from "../../support/api/app-world.ts";
import { eventually } from "../../support/tools/eventually.ts";

const AT = new Date("2026-01-31T12:00:00.000Z");
const DETAIL = "The app was stopped: its files grew to 3 GiB, and an app may have 2 GiB.";
const STOPPED_BY = { reason: "disk_limit", detail: DETAIL, at: AT.toISOString() };

const world = useAppWorld();
let appId: string;

beforeEach(async () => {
  ({ appId } = await world.live());
});

/** Reports statuses of the agent, as the control plane that holds its link hears it. */
async function hear(...told: MessageInitShape<typeof StatusSchema>[]): Promise<void> {
  const end = new AbortController();
  async function* statuses() {
    for (const status of told) yield create(WatchStatusResponseSchema, { status });
    end.abort();
  }
  const link = tellingLink({ serverId: world.serverId, retired: end.signal, statuses });
  await hearStatuses({ link, db: world.http.database.db });
}

const container = (state: string) => ({ app: { id: appId, name: world.name }, containerId: "c-1", state });
const stopped = (at = AT) => ({
  apps: [container("exited")],
  stoppedApps: [{ appId, reason: StopReason.DISK_LIMIT, detail: DETAIL, at: timestampFromDate(at) }],
});
const running = () => ({ apps: [container("running")] });
const read = async () => {
  const { apps } = (await world.ada.call("GET", "/api/apps")).json as { apps: Record<string, unknown>[] };
  return apps.find((app) => app["name"] === world.name)!;
};
const act = (action: string) => world.ada.call("POST", `/api/apps/${world.name}/action`, { action });
const stops = async () =>
  (
    await world.http.database.query("select actor, detail from audit_log where target = $1 and action = 'app.stop'", [
      `app:${appId}`,
    ])
  ).rows;

test("an app that the agent stopped is shown as stopped with the reason, and audited once however often it is told", async () => {
  expect((await read())["stopped_by"]).toBeNull();
  await hear(stopped(), stopped(), { ...stopped(), uptimeSeconds: 9n });
  await hear(stopped());
  expect(await read()).toMatchObject({ status: "stopped", stopped_by: STOPPED_BY });
  expect(await stops()).toEqual([
    { actor: "system", detail: { name: world.name, reason: "disk_limit", detail: DETAIL } },
  ]);
});

test("the owner's log ends with why the app was stopped, also when its container is gone", async () => {
  await hear(stopped());
  world.agent.log = ["one", "two"];
  const logs = async (query = "") => (await world.ada.call("GET", `/api/apps/${world.name}/logs${query}`)).json["logs"];
  expect(
    String(await logs())
      .split("\n")
      .slice(1),
  ).toEqual([expect.stringMatching(/ two$/), `${AT.toISOString()} [platform] ${DETAIL}`]);
  // The last line of the container's own log is there, however few are asked for.
  expect(String(await logs("?lines=1")).split("\n")).toEqual([
    expect.stringMatching(/ two$/),
    `${AT.toISOString()} [platform] ${DETAIL}`,
  ]);
  expect(await logs("?source=access")).not.toContain("[platform]");
  world.agent.logRefusal = "not_found";
  expect(await logs()).toBe(`${AT.toISOString()} [platform] ${DETAIL}`);
  await act("start");
  expect((await world.ada.call("GET", `/api/apps/${world.name}/logs`)).status).toBe(409);
});

const follow = (lines: number) =>
  world.http.api.request(`/api/apps/${world.name}/logs?follow=1&lines=${lines}`, {
    headers: { Authorization: `Bearer ${world.ada.key}` },
  });

test("a follower is told why the platform stopped the app before the log's end, although the agent says so a moment later", async () => {
  world.agent.log = ["one"];
  const following = (await follow(100)).text();
  await eventually(
    () => world.agent.followers.size,
    (size) => size === 1,
    { what: "the agent is followed" },
  );
  world.agent.end();
  await hear(stopped());
  const events = (await following).trim().split("\n\n");
  expect(events.at(-2)).toContain(`"lines":["${AT.toISOString()} [platform] ${DETAIL}"]`);
  expect(events.at(-1)).toContain("event: end");
});

test("a follower of an app whose container the platform removed is told why instead of to deploy it", async () => {
  await hear(stopped());
  world.agent.logRefusal = "not_found";
  const text = await (await follow(100)).text();
  expect(text).toContain(`[platform] ${DETAIL}`);
  expect(text).toContain("event: end");
  expect(text).not.toContain("event: error");
});

test("stops count as the owner's in the audit log, so that they crowd out none of the operator's entries", async () => {
  const { database } = world.http;
  const operators = "select count(*)::integer as count from audit_log where owner_id is null";
  const countOf = async (text: string) => (await database.query(text)).rows[0]!["count"];
  const before = await countOf(operators);
  for (let i = 0; i < 5; i++) await hear(stopped(new Date(AT.getTime() + i)));
  expect(await countOf(operators)).toBe(before);
  const bounds = { owner: 2, operator: Number(before), all: 3 };
  while ((await deleteOldAudit(database.db, 100, bounds)) > 0);
  expect([await countOf(operators), (await stops()).length]).toEqual([before, 2]);
});

test.each(["start", "restart"])(
  "a %s takes the reason away, and a late status does not bring it back",
  async (action) => {
    await hear(stopped());
    expect((await act(action)).status).toBe(200);
    expect(await read()).toMatchObject({ status: "running", stopped_by: null });
    await hear(stopped());
    expect(await read()).toMatchObject({ status: "running", stopped_by: null });
    expect(await stops()).toHaveLength(1);
  },
);

test("an app of which the agent goes on to say that it is stopped is shown so again, and not audited again", async () => {
  await hear(stopped());
  await act("start");
  const { db } = world.http.database;
  await db
    .updateTable("apps")
    .set({ updated_at: new Date(Date.now() - 60_000) })
    .where("id", "=", appId)
    .execute();
  await hear(stopped());
  expect(await read()).toMatchObject({ status: "stopped", stopped_by: STOPPED_BY });
  expect(await stops()).toHaveLength(1);
});

test("an app that is stopped once more is audited once more", async () => {
  await hear(stopped());
  await act("start");
  const later = new Date(AT.getTime() + 60_000);
  await hear(stopped(later));
  expect(await read()).toMatchObject({ status: "stopped", stopped_by: { at: later.toISOString() } });
  expect(await stops()).toHaveLength(2);
});

test("an app that runs again although the answer to its start was lost is shown as running", async () => {
  await hear(stopped(), running());
  expect(await read()).toMatchObject({ status: "running", stopped_by: null });
});

test("an agent can't stop an app that lives on another server", async () => {
  const other = await world.http.addServer(`server-${world.name}`);
  await world.http.database.db.updateTable("apps").set({ server_id: other }).where("id", "=", appId).execute();
  await hear(stopped());
  expect(await read()).toMatchObject({ status: "running", stopped_by: null });
});

test("a start that the server's memory does not allow is answered with the sentence of the agent", async () => {
  world.agent.refusal = "server_memory_full";
  expect(await act("start")).toMatchObject({ status: 503, json: { error: "server_memory_full" } });
});
