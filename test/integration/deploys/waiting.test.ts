import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addDeploy } from "../../support/api/pipeline.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { hearOf } from "../../support/people/operator.ts";

let http: TestApi;
let ada: Caller;
let serverId: string;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller({ tier: "team" });
  serverId = await http.addServer("server-1");
});
afterAll(() => http?.stop());
beforeEach(async () => {
  await hearOf(http, serverId);
  await http.database.query("delete from apps");
});

/** A new app with a deploy that nobody has begun. */
async function addWaiting(name: string, server: string | null) {
  const { json } = await ada.call("POST", "/api/apps", { name, repo_url: `https://git.example.com/ada/${name}` });
  const { id } = json["app"] as { id: string };
  return addDeploy(http.parts.db, { id, userId: ada.userId }, server);
}

const waiting = async (name: string) => (await ada.call("GET", `/api/apps/${name}/deploys/waiting`)).json["waiting"];
const letRun = (deploy: string) =>
  http.database.query("update deploys set status = 'running', started_at = now() where id = $1", [deploy]);
const lose = () =>
  http.database.query("update server_hearings set heard_at = now() - interval '11 seconds' where server_id = $1", [
    serverId,
  ]);

test("a deploy that waits names the deploys before it, its server that is away, or that no server takes it", async () => {
  const first = await addWaiting("first", serverId);
  const second = await addWaiting("second", serverId);
  await addWaiting("homeless", null);
  expect(await waiting("first")).toMatchObject({ deploy_id: first, status: "pending", waits_for: "next" });
  expect(await waiting("second")).toMatchObject({ deploy_id: second, waits_for: "deploy_ahead" });
  expect(await waiting("homeless")).toMatchObject({ waits_for: "no_server" });
  await lose();
  expect(await waiting("second")).toMatchObject({ waits_for: "server_away" });
});

test("a deploy that runs waits only while its server is away", async () => {
  await letRun(await addWaiting("runs", serverId));
  expect(await waiting("runs")).toBeNull();
  await lose();
  expect(await waiting("runs")).toMatchObject({ status: "running", waits_for: "server_away" });
});

test("what waits of another owner's app is not told", async () => {
  await addWaiting("hers", serverId);
  const eve = await http.addCaller();
  expect((await eve.call("GET", "/api/apps/hers/deploys/waiting")).status).toBe(404);
});
