import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";
import { untilWaiting } from "../../support/database/until-waiting.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
let from: Team;
let to: Team;
/** Owns the one team, and makes apps in the other. */
let ada: Caller;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];

beforeAll(async () => {
  http = await startTestApi();
  [from, to] = [await makeTeam(http, "from"), await makeTeam(http, "to")];
  ada = from.ownerIn;
  await join(to, ada, "developer");
});
afterAll(() => http?.stop());

async function join(team: Team, { userId }: Caller, role: string): Promise<void> {
  await http.database.query(
    "insert into team_members (team_id, user_id, role) values ($1, $2, $3) on conflict (team_id, user_id) do update set role = $3",
    [team.id, userId, role],
  );
}
const handOver = (name: string, team = to.id, by = ada): Promise<Reply> =>
  by.call("POST", `/api/apps/${name}/hand-over`, { team });
async function make(name: string, body: object = { repo_url: `https://github.com/you/${name}` }): Promise<void> {
  expect((await ada.call("POST", "/api/apps", { name, ...body })).status).toBe(201);
}

test("an app is the other team's from then on, with all that it has, and the former team's no more", async () => {
  await make("given");
  await ada.call("PUT", "/api/apps/given/env", { env: { GREETING: "hello" } });
  expect((await handOver("given")).status).toBe(204);
  expect((await ada.call("GET", "/api/apps/given")).status).toBe(404);
  expect((await to.ownerIn.call("GET", "/api/apps/given/env")).json).toEqual({ env: { GREETING: "hello" } });
  const query = "select action, owner_id from audit_log where action in ('app.hand_over', 'app.receive') order by id";
  expect((await http.database.query(query)).rows).toEqual([
    { action: "app.hand_over", owner_id: from.id },
    { action: "app.receive", owner_id: to.id },
  ]);
});

test("its repository on our git host goes with it, to another address", async () => {
  await make("hosted", { template: "express-postgres" });
  expect((await handOver("hosted")).status).toBe(204);
  const { app } = (await to.ownerIn.call("GET", "/api/apps/hosted")).json as { app: { git_repo: string } };
  expect(app.git_repo).toBe(`http://127.0.0.1/git/${to.id}/hosted.git`);
  const clone = (by: Caller, owner: string) =>
    http.api.request(`/git/${owner}/hosted.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Basic ${Buffer.from(`x:${by.key}`).toString("base64")}` },
    });
  expect((await clone(to.ownerIn, to.id)).status).toBe(200);
  expect((await clone(ada, from.id)).status).toBe(404);
  expect((await clone(ada, to.id)).status).toBe(404);
});

test("a repository that other apps deploy from stays, and so does the app", async () => {
  await make("first", { template: "express-postgres" });
  const { app } = (await ada.call("GET", "/api/apps/first")).json as { app: { git_repo: string } };
  await make("second", { repo_url: app.git_repo });
  expect(brief(await handOver("first"))).toEqual([400, "invalid_request"]);
  expect((await ada.call("GET", "/api/apps/first")).status).toBe(200);
});

test("nobody gives an app to a team that they are not in, or may not make apps in", async () => {
  await make("kept");
  const strangers = await makeTeam(http, "strangers");
  const unknown = "0198c0de-7a11-7000-8000-00000000dead";
  for (const team of [strangers.id, unknown, "x"])
    expect(brief(await handOver("kept", team))).toEqual([404, "not_found"]);
  await join(to, ada, "deployer");
  expect(brief(await handOver("kept"))).toEqual([403, "insufficient_role"]);
  await join(to, ada, "developer");
  const developer = await from.addMember("developer");
  expect(brief(await handOver("kept", to.id, developer))).toEqual([403, "insufficient_role"]);
});

test("a role in the other team that is lowered while the request runs counts", async () => {
  await make("late");
  const asked = await http.parts.db.transaction().execute(async (tx) => {
    // As whoever changes a role does.
    await tx.selectFrom("teams").select("id").where("id", "=", to.id).forUpdate().execute();
    const handing = handOver("late");
    await untilWaiting(http.database);
    const lowered = { role: "viewer" } as const;
    await tx
      .updateTable("team_members")
      .set(lowered)
      .where("user_id", "=", ada.userId)
      .where("team_id", "=", to.id)
      .execute();
    return [handing] as const;
  });
  expect(brief(await asked[0])).toEqual([403, "insufficient_role"]);
  await join(to, ada, "developer");
});

test("the other team's limit holds, also for apps that are given at once", async () => {
  await http.database.query("update teams set tier = 'free' where id = $1", [to.id]);
  const { apps } = (await to.ownerIn.call("GET", "/api/apps")).json as { apps: unknown[] };
  const names = ["a1", "a2", "a3"];
  for (const name of names) await make(name);
  const answers = await Promise.all(names.map((name) => handOver(name)));
  const given = answers.filter(({ status }) => status === 204).length;
  expect(apps.length + given).toBe(3);
  for (const answer of answers.filter(({ status }) => status !== 204)) {
    expect(brief(answer)).toEqual([403, "app_limit"]);
  }
  await http.database.query("update teams set tier = 'team' where id = $1", [to.id]);
});

test("whoever follows a deploy of the app as one of the former team is cut off", async () => {
  await make("followed");
  await ada.call("POST", "/api/apps/followed/deploy");
  const { rows } = await http.database.query(
    "select d.id from deploys d join apps a on a.id = d.app_id where a.name = 'followed'",
  );
  const { id } = rows[0] as { id: string };
  await http.database.query("update deploys set status = 'canceled', finished_at = now() where id = $1", [id]);
  await make("open");
  await ada.call("POST", "/api/apps/open/deploy");
  const open = (
    await http.database.query("select d.id from deploys d join apps a on a.id = d.app_id where a.name = 'open'")
  ).rows[0] as { id: string };
  const response = await http.api.request(`/api/deploys/${open.id}/events`, {
    headers: { Authorization: `Bearer ${ada.key}` },
  });
  expect(response.status).toBe(200);
  let ended = false;
  const reading = (async () => {
    for await (const _ of response.body!) continue;
    ended = true;
  })();
  // As by a hand-over that a deploy does not prevent.
  await http.database.query("update apps set owner_id = $1 where name = 'open'", [to.id]);
  expect((await handOver("followed")).status).toBe(204);
  await eventually(() => ended, Boolean, { what: "the stream ends" });
  await reading;
});

test("an app whose deploy is open stays until that has ended", async () => {
  await make("busy");
  await ada.call("POST", "/api/apps/busy/deploy");
  expect(brief(await handOver("busy"))).toEqual([409, "deploy_in_progress"]);
});
