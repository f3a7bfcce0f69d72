import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { joinTokenHash } from "@svc/control-plane/fleet/joining/join-token.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { addDeploy } from "../../support/api/pipeline.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";
import { addOperator, HOST_STATUS, hearOf } from "../../support/people/operator.ts";
import { PASSWORD, type Browser } from "../../support/people/person.ts";

/** Servers as operators see and change them over the API. */
let http: TestApi;
let operator: Browser;
let number = 0;
let email: string;

beforeAll(async () => {
  http = await startTestApi();
});
beforeEach(async () => {
  email = `operator${++number}@example.test`;
  operator = await addOperator(http, email);
});
afterAll(() => http?.stop());

const rows = async (sql: string, ...values: unknown[]) => (await http.database.query(sql, values)).rows;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const NOTHING = [404, "not_found"];
const GIB = 1024 ** 3;

test("the servers are listed with their figures, what they work on, and what waits where", async () => {
  const id = await http.addServer("busy");
  const away = await http.addServer("away");
  await http.addServer("young", { state: "joining" });
  const team = await makeTeam(http, "Rockets");
  const holder = await deployOn(team, "shop", id, "running");
  await deployOn(team, "blog", id, "pending");
  await deployOn(team, "wiki", away, "pending");
  const lock = { holder: { deployId: holder, attempt: 1 }, takenAt: "2026-01-01T00:00:00Z", step: "STEP_CLONE_BUILD" };
  await hearOf(http, id, { ...HOST_STATUS, lock, apps: [], notKnownYet: 1 });
  await hearOf(http, away);
  await rows("update server_hearings set heard_at = now() - interval '11 seconds' where server_id = $1", away);

  const { servers } = (await operator.get("/api/servers")).json as { servers: { name: string }[] };
  const named = (name: string) => servers.find((server) => server.name === name);
  expect(named("busy")).toEqual({
    name: "busy",
    state: "active",
    pool: "default",
    labels: [],
    address: null,
    linked: true,
    last_seen_at: expect.stringMatching(/Z$/),
    agent_version: "0.1.0",
    certificate_until: expect.stringMatching(/Z$/),
    joined_at: expect.stringMatching(/Z$/),
    observed_at: expect.stringMatching(/Z$/),
    cpu: { cores: 4, used_ratio: 0.25, load_1m: 1.5 },
    memory: {
      total_bytes: 8 * GIB,
      available_bytes: 6 * GIB,
      promised_bytes: 2 * GIB,
      promisable_bytes: 7 * GIB,
    },
    disks: [{ purpose: "data", total_bytes: 100 * GIB, available_bytes: 25 * GIB }],
    lock: { app: "shop", step: "clone_build", taken_at: "2026-01-01T00:00:00.000Z" },
    queue: { length: 1, oldest_since: expect.stringMatching(/Z$/) },
    apps: 2,
  });
  expect(named("away")).toMatchObject({ linked: false, last_seen_at: expect.stringMatching(/Z$/) });
  expect(named("young")).toMatchObject({
    state: "joining",
    linked: false,
    cpu: null,
    memory: null,
    disks: [],
    lock: null,
  });

  const busy = (await operator.get("/api/servers/busy")).json;
  expect(busy["deploys"]).toMatchObject([
    { app: "shop", kind: "deploy", status: "running", waits_for: null },
    { app: "blog", kind: "deploy", status: "pending", waits_for: "deploy_ahead" },
  ]);
  expect(busy["apps"]).toEqual([
    { name: "blog", status: expect.any(String), team: "Rockets" },
    { name: "shop", status: expect.any(String), team: "Rockets" },
  ]);
  expect((await operator.get("/api/servers/away")).json["deploys"]).toMatchObject([
    { app: "wiki", status: "pending", waits_for: "server_away" },
  ]);
  // Names and numbers, and nothing that is the teams'.
  for (const path of ["/api/apps/shop", "/api/apps/shop/logs", "/api/apps/shop/env", "/api/apps/shop/deploys"]) {
    expect([path, ...brief(await operator.get(path))]).toEqual([path, ...NOTHING]);
  }
});

test("a server that is drained takes new apps again once it is undrained, each time with one entry by its operator", async () => {
  const name = `drained-${number}`;
  const id = await http.addServer(name);
  const turns = [
    ["drain", "draining"],
    ["drain", "draining"],
    ["undrain", "active"],
    ["undrain", "active"],
  ];
  for (const [verb, state] of turns) {
    const { status, json } = await operator.post(`/api/servers/${name}/${verb}`);
    expect([verb, status, json["server"]]).toEqual([verb, 200, expect.objectContaining({ state })]);
  }
  const actor = `user:${await idOf(email)}`;
  expect(
    await rows(
      "select actor, action, owner_id, request_id is null as none from audit_log where target = $1 order by id",
      `server:${id}`,
    ),
  ).toEqual([
    { actor, action: "server.drain", owner_id: null, none: false },
    { actor, action: "server.undrain", owner_id: null, none: false },
  ]);
  expect(brief(await operator.post("/api/servers/unknown/drain"))).toEqual(NOTHING);
  await http.addServer("joins", { state: "joining" });
  for (const verb of ["drain", "undrain"]) {
    expect(brief(await operator.post(`/api/servers/joins/${verb}`))).toEqual([400, "invalid_request"]);
  }
});

test("a join command is given to whoever proves who they are, once, and is in no entry and no later answer", async () => {
  for (const body of [{ name: "new-one" }, { name: "new-one", password: "wrong horse battery" }]) {
    expect(brief(await operator.post("/api/servers", body))).toEqual([401, "credentials_invalid"]);
  }
  expect(await rows("select 1 from servers where name = 'new-one'")).toEqual([]);
  const { status, json } = await operator.post("/api/servers", { name: "new-one", password: PASSWORD });
  const command = String(json["command"]);
  expect([status, json["server"], json["expires_at"]]).toEqual([201, "new-one", expect.stringMatching(/Z$/)]);
  const form =
    /^export SVC_JOIN_TOKEN=(svcjoin_[\w-]{43}\.0{64}) && .* && sh install-agent\.sh https:\/\/127\.0\.0\.1:8443$/;
  const [, token = ""] = form.exec(command) ?? [];
  expect(token).not.toBe("");
  expect(JSON.stringify(await rows("select * from audit_log"))).not.toContain(token.slice(8, 40));
  expect((await operator.get("/api/servers")).text).not.toContain(token.slice(8, 40));
  const [{ hash }] = (await rows(
    "select t.hash from join_tokens t join servers s on s.id = t.server_id where s.name = 'new-one'",
  )) as [{ hash: Buffer }];
  expect(joinTokenHash(token)).toEqual(hash);
  expect(brief(await operator.post("/api/servers", { name: "Not A Name", password: PASSWORD }))).toEqual([
    400,
    "invalid_request",
  ]);
  await http.addServer("here-already");
  expect(brief(await operator.post("/api/servers", { name: "here-already", password: PASSWORD }))).toEqual([
    409,
    "name_taken",
  ]);
});

/** A deploy of a new app of the team's, in that state. @returns its id */
async function deployOn(team: Team, name: string, serverId: string, status: "pending" | "running"): Promise<string> {
  await team.ownerIn.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}` });
  const [app] = (await rows("update apps set server_id = $2 where name = $1 returning id", name, serverId)) as {
    id: string;
  }[];
  const id = await addDeploy(http.parts.db, { id: app!.id, userId: team.owner.userId }, serverId);
  if (status === "running") await rows("update deploys set status = 'running', started_at = now() where id = $1", id);
  return id;
}

async function idOf(address: string): Promise<string> {
  const [{ id }] = (await rows("select id from users where email = $1", address)) as [{ id: string }];
  return id;
}
