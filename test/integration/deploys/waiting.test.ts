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
  await http.database.query("delete from deploys");
  await http.database.query("delete from apps");
  await http.database.query("update servers set state = 'active'");
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

test("a deploy that waits names the deploy before it, its server that is away, or that it begins at once", async () => {
  const first = await addWaiting("first", serverId);
  const second = await addWaiting("second", serverId);
  await addWaiting("homeless", null);
  expect(await waiting("first")).toMatchObject({ deploy_id: first, status: "pending", waits_for: "next" });
  expect(await waiting("second")).toMatchObject({
    deploy_id: second,
    waits_for: "deploy_ahead",
    ahead: "first",
    detail: "The deploy of the app first on the same server comes first.",
  });
  expect(await waiting("homeless")).toMatchObject({ waits_for: "next" });
  await lose();
  expect(await waiting("second")).toMatchObject({
    waits_for: "server_away",
    ahead: null,
    detail: "The server server-1 can't be reached. The deploy goes on when it is back.",
  });
});

test("a deploy without a server says that all are drained, that none has memory left, or that none has joined", async () => {
  await addWaiting("homeless", null);
  const memory = { totalBytes: "8589934592", promisedBytes: "8053063680", promisableBytes: "8053063680" };
  await hearOf(http, serverId, { memory });
  expect(await waiting("homeless")).toMatchObject({
    waits_for: "no_room",
    detail: "No server has memory left for another app. The deploy begins when there is room.",
  });
  await http.database.query("update servers set state = 'draining'");
  expect(await waiting("homeless")).toMatchObject({
    waits_for: "all_drained",
    detail: "Every server is drained and takes no new apps. The deploy begins when one takes them again.",
  });
  await http.database.query("update servers set state = 'joining'");
  expect(await waiting("homeless")).toMatchObject({
    waits_for: "no_server",
    detail: "No server has joined yet. The deploy begins when one does.",
  });
});

test("a deploy that asks for a pool and a label waits for these, and says so", async () => {
  await addWaiting("picky", null);
  await http.database.query("update teams set pools = '{gpu}' where id = $1", [ada.userId]);
  await http.database.query("update apps set pool = 'gpu', label = 'ssd' where name = 'picky'");
  expect(await waiting("picky")).toMatchObject({
    waits_for: "no_server",
    detail: "No server of the pool gpu with the label ssd has joined yet. The deploy begins when one does.",
  });
});

test("the app whose deploy is ahead is named to its own owner alone, and to no key that may not see it", async () => {
  const eve = await http.addCaller({ tier: "team" });
  await letRun(await addWaiting("secret", serverId));
  const { json } = await eve.call("POST", "/api/apps", {
    name: "behind",
    repo_url: "https://git.example.com/eve/behind",
  });
  await addDeploy(http.parts.db, { id: (json["app"] as { id: string }).id, userId: eve.userId }, serverId);
  const hers = await eve.call("GET", "/api/apps/behind/deploys/waiting");
  expect(hers.json["waiting"]).toMatchObject({ waits_for: "deploy_ahead", ahead: null });
  expect(hers.text).not.toContain("secret");
  await addWaiting("own", serverId);
  expect(await waiting("own")).toMatchObject({ ahead: "secret" });
  const limited = await http.addCaller({ userId: ada.userId, scopes: ["deploys:read"], apps: ["own"] });
  const seen = await limited.call("GET", "/api/apps/own/deploys/waiting");
  expect(seen.json["waiting"]).toMatchObject({ waits_for: "deploy_ahead", ahead: null });
  expect(seen.text).not.toContain("secret");
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
