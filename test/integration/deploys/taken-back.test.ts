import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { readPreviousRelease } from "@svc/control-plane/deploys/releases/releases.store.ts";
import { recordTakenBack } from "@svc/control-plane/deploys/releases/record-taken-back.ts";
import {
  Health,
  TakenBackReason,
  WatchStatusResponseSchema,
  type StatusSchema,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { hearStatuses } from "../../support/agent/hear-statuses.ts";
import { tellingLink } from "../../support/agent/telling-link.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";

const AT = new Date("2026-01-31T12:00:00.000Z");
const SECRET = "correct-horse-battery";

let http: TestApi;
let ada: Caller;
let serverId: string;
let count = 0;
let name: string;
let appId: string;
/** The deploy that served before, and the one that was taken back. */
let first: string;
let second: string;
let confirmed: string[];
/** The agent's refusal when it is told that a take-back is recorded. */
let refusal: Error | undefined;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
  serverId = await http.addServer("server-1");
});
afterAll(() => http?.stop());

beforeEach(async () => {
  confirmed = [];
  refusal = undefined;
  name = `app-${++count}`;
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
  ({ appId, deployId: first } = await live("v1"));
  ({ deployId: second } = await live("v2", { TOKEN: SECRET }));
});

const live = (release: string, env: Record<string, string> = {}) =>
  addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, { name, userId: ada.userId, serverId, env, release });

/** Reports statuses of the agent, as the control plane that holds its link hears it. */
async function hear(...told: MessageInitShape<typeof StatusSchema>[]): Promise<void> {
  const end = new AbortController();
  async function* statuses() {
    for (const status of told) yield create(WatchStatusResponseSchema, { status });
    end.abort();
  }
  const link = tellingLink({ serverId, retired: end.signal, statuses, confirmed, refusal });
  const { redactors } = http.parts;
  const { keyRing, database } = http;
  const { db } = database;
  const address = { appsDomain: "apps.test", appsHttpsPort: 443 };
  const record = recordTakenBack.bind(undefined, { db, keyRing, redactors, address });
  await hearStatuses({ link, db, recordTakenBack: record });
}

const takenBack = (fields: object = {}) => ({
  takenBack: [
    {
      app: { id: appId, name },
      deployId: second,
      servedDeployId: first,
      reason: TakenBackReason.EXITED,
      detail: "The release was taken back soon after it went live: it ended with exit code 1.",
      exitCode: 1,
      lastLines: ["Error: no", `at login(${SECRET})`],
      at: timestampFromDate(AT),
      ...fields,
    },
  ],
});
const SHOWN = () => ({
  at: AT.toISOString(),
  reason: "exited",
  detail: "The release was taken back soon after it went live: it ended with exit code 1.",
  exit_code: 1,
  last_lines: ["Error: no", "at login([REDACTED])"],
  release: "v1",
  deploy_id: first,
});
const readDeploy = async (id: string) => {
  const { deploy } = (await ada.call("GET", `/api/deploys/${id}`)).json as { deploy: Record<string, unknown> };
  return deploy;
};
const view = async () => {
  const { apps } = (await ada.call("GET", "/api/apps")).json as { apps: Record<string, unknown>[] };
  return apps.find((app) => app["name"] === name)!;
};
const release = async () => (await view())["current_release"];
const rollbacks = async () =>
  (
    await http.database.query(
      `select d.status, r.name as release, d.finished_at from deploys d join releases r on r.id = d.target_release_id
       where d.app_id = $1 and d.kind = 'rollback'`,
      [appId],
    )
  ).rows;

test("a deploy that the agent took back is recorded as a rollback, once, and shown with reason, exit code and last lines", async () => {
  await hear(takenBack(), takenBack());
  await hear(takenBack());
  expect(await readDeploy(second)).toMatchObject({ status: "success", taken_back: SHOWN() });
  expect(await readDeploy(first)).not.toHaveProperty("taken_back");
  expect(await view()).toMatchObject({
    current_release: "v1",
    last_deploy: { release: "v2", status: "success", taken_back: true },
  });
  expect(await rollbacks()).toEqual([{ status: "success", release: "v1", finished_at: AT }]);
  expect(confirmed).toEqual([second, second, second]);
  // As no rollback is, it is in no list of deploys.
  const { deploys } = (await ada.call("GET", `/api/apps/${name}/deploys`)).json as { deploys: { release: string }[] };
  expect(deploys.map((deploy) => deploy.release)).toEqual(["v2", "v1"]);
});

test("it is audited without the app's lines, and no secret of them is stored anywhere", async () => {
  await hear(takenBack());
  const { rows } = await http.database.query(
    "select actor, detail from audit_log where action = 'rollback.automatic' and detail ->> 'app' = $1",
    [name],
  );
  expect(rows).toEqual([
    {
      actor: "system",
      detail: { app: name, reason: "exited", exit_code: 1, taken_back: second, release_id: expect.any(String) },
    },
  ]);
  const { rows: stored } = await http.database.query(
    `select d.taken_back::text, e.payload::text, s.status::text from deploys d
     join deploy_events e on e.deploy_id = d.id, servers s where d.id = $1 and s.id = $2`,
    [second, serverId],
  );
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(SECRET);
});

test("webhooks are told of it as of any rollback", async () => {
  await http.database.query(
    "insert into webhooks (id, app_id, url, secret) values ($1, $2, 'https://hooks.example.test/', $3)",
    [newId(), appId, Buffer.from("sealed")],
  );
  await hear(takenBack(), takenBack());
  const { rows } = await http.database.query(
    `select convert_from(w.body, 'UTF8')::json as body from webhook_deliveries w
     join webhooks on webhooks.id = w.webhook_id where webhooks.app_id = $1`,
    [appId],
  );
  expect(rows.map(({ body }) => body)).toEqual([
    {
      event: "deploy.rolled_back",
      app: name,
      deploy_id: first,
      status: "rolled_back",
      url: `https://${name}.apps.test`,
      timestamp: AT.toISOString(),
    },
  ]);
});

test("a follower that saw the deploy's end hears of a take-back after that", async () => {
  const events = (after: string) =>
    http.api.request(`/api/deploys/${second}/events`, {
      headers: { Authorization: `Bearer ${ada.key}`, "Last-Event-ID": after },
    });
  expect((await events("0")).status).toBe(204);
  await hear(takenBack());
  const text = await (await events("0")).text();
  const [, kind, data] = /event: (.*)\ndata: (.*)\n/.exec(text)!;
  expect([kind, JSON.parse(data!)]).toEqual(["taken_back", { time: expect.any(String), ...SHOWN() }]);
  expect((await events("1")).status).toBe(204);
});

test("a deploy that has not ended yet is not confirmed, so that the agent tells of it again", async () => {
  await http.database.query(
    "insert into deploys (id, app_id, user_id, server_id, status, release) select $1, app_id, user_id, server_id, 'running', 'v3' from deploys where id = $2",
    [(second = newId()), first],
  );
  await hear(takenBack());
  expect(confirmed).toEqual([]);
  expect(await rollbacks()).toEqual([]);
  await http.database.query("delete from deploys where id = $1", [second]);
});

test("a release that went live since stays, and what was taken back before it is recorded all the same", async () => {
  await live("v3");
  await hear(takenBack());
  expect(await release()).toBe("v3");
  expect(await rollbacks()).toHaveLength(1);
  const { json } = await ada.call("GET", `/api/deploys/${second}`);
  expect((json["deploy"] as { taken_back: object }).taken_back).toMatchObject({ release: "v1", deploy_id: first });
  expect(confirmed).toEqual([second]);
});

test("an agent that can't note the confirmation down is still heard", async () => {
  refusal = new Error("no space left on device");
  const observedAt = timestampFromDate(AT);
  const apps = [
    { app: { id: appId, name }, containerId: "c-1", state: "running", health: Health.SERVING, since: observedAt },
  ];
  await hear({ ...takenBack(), observedAt, apps });
  const { rows } = await http.database.query("select health from apps where id = $1", [appId]);
  expect(rows).toEqual([{ health: { state: "healthy", reason: null, since: AT.toISOString() } }]);
});

test("a rollback does not go to a release that was taken back while the next one was deployed", async () => {
  const { deployId: third } = await live("v3");
  await http.database.query(
    "update apps set current_release_id = (select id from releases where deploy_id = $1) where id = $2",
    [second, appId],
  );
  await hear(takenBack());
  const query =
    "update apps set current_release_id = r.id from releases r where r.deploy_id = $1 and apps.id = $2 returning r.id";
  const [current] = (await http.database.query(query, [third, appId])).rows as { id: string }[];
  const previous = await readPreviousRelease(http.database.db, appId, current!.id);
  const { rows } = await http.database.query("select name from releases where id = $1", [previous]);
  expect(rows).toEqual([{ name: "v1" }]);
});

test("somebody who goes back to it after all is not overruled by what the agent tells once more", async () => {
  await hear(takenBack());
  await http.database.query(
    "update apps set current_release_id = (select id from releases where deploy_id = $1) where id = $2",
    [second, appId],
  );
  await hear(takenBack());
  expect(await release()).toBe("v2");
  expect(await rollbacks()).toHaveLength(1);
});

test("a take-back of an app that is gone, or of another server, is not recorded, and the agent need not report it again", async () => {
  await hear(takenBack({ app: { id: newId(), name } }), takenBack({ app: { id: "../x", name } }));
  const elsewhere = await http.addServer(`server-of-${name}`);
  const former = serverId;
  serverId = elsewhere;
  await hear(takenBack());
  serverId = former;
  expect(await rollbacks()).toEqual([]);
  expect(confirmed).toHaveLength(3);
  expect(await release()).toBe("v2");
});

test("a container that did not end has no exit code, and a reason of a newer agent is shown as unknown", async () => {
  await hear(takenBack({ reason: 99, exitCode: undefined, lastLines: [] }));
  expect(await readDeploy(second)).toMatchObject({
    taken_back: { reason: "unknown", exit_code: null, last_lines: [] },
  });
});

test("a further rollback goes to the release before the one that serves, and the next deploy can go back to that one", async () => {
  const { deployId: third } = await live("v3");
  await hear(takenBack({ deployId: third, servedDeployId: second }));
  expect(await release()).toBe("v2");
  const nameOf = async (id: string | undefined) =>
    (await http.database.query("select name from releases where id = $1", [id])).rows[0]?.["name"];
  const { db } = http.database;
  const current = async () =>
    (await db.selectFrom("apps").select("current_release_id").where("id", "=", appId).executeTakeFirstOrThrow())
      .current_release_id!;
  expect(await nameOf(await readPreviousRelease(db, appId, await current()))).toBe("v1");
  await live("v4");
  expect(await nameOf(await readPreviousRelease(db, appId, await current()))).toBe("v2");
});
