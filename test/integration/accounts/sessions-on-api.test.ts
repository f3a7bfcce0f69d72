import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";
import { Browser } from "../../support/people/person.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
let team: Team;
let ada: Browser;
let adaId: string;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const app = (name: string) => ({ name, repo_url: `https://github.com/you/${name}` });
const ORIGIN = "http://127.0.0.1";

beforeAll(async () => {
  http = await startTestApi();
  team = await makeTeam(http);
  ada = await new Browser(http).join("ada@example.test");
  adaId = ((await ada.get("/api/me")).json["user"] as { id: string }).id;
  await join("developer");
});
afterAll(() => http?.stop());

async function join(role: string): Promise<void> {
  await http.database.query(
    "insert into team_members (team_id, user_id, role) values ($1, $2, $3) on conflict (team_id, user_id) do update set role = $3",
    [team.id, adaId, role],
  );
}
const inTeam = (path: string, body: object, id = team.id): Promise<Reply> =>
  ada.send("POST", path, JSON.stringify(body), { "Svc-Team": id });

test("what is made belongs to the team that is named, else to the personal one, and a list shows all", async () => {
  expect((await ada.post("/api/apps", app("mine"))).status).toBe(201);
  expect((await inTeam("/api/apps", app("ours"))).status).toBe(201);
  const { rows } = await http.database.query("select name, owner_id from apps order by name");
  expect(rows).toEqual([
    { name: "mine", owner_id: adaId },
    { name: "ours", owner_id: team.id },
  ]);
  const names = ({ json }: Reply) => (json["apps"] as { name: string }[]).map(({ name }) => name);
  expect(names(await ada.get("/api/apps"))).toEqual(["mine", "ours"]);
  const first = await ada.get("/api/apps?limit=1");
  expect(names(first)).toEqual(["mine"]);
  expect(names(await ada.get(`/api/apps?limit=1&cursor=${String(first.json["next_cursor"])}`))).toEqual(["ours"]);
  for (const name of ["mine", "ours"]) expect((await ada.get(`/api/apps/${name}`)).status).toBe(200);
});

test("a team that its person is not in is not found, whatever is in the header", async () => {
  const other = await makeTeam(http);
  for (const id of [other.id, "x", "", `${team.id} `.repeat(2)]) {
    expect([id, ...brief(await inTeam("/api/apps", app("nobodys"), id))]).toEqual([id, 404, "not_found"]);
  }
});

test("an answer names its person, and what is sent for another person is refused and changes nothing", async () => {
  const bob = await new Browser(http).join("bob@example.test");
  const bobId = ((await bob.get("/api/me")).json["user"] as { id: string }).id;
  for (const path of ["/api/apps", "/auth/session", "/api/apps/nobodys-app"]) {
    expect([path, (await bob.get(path)).headers.get("Svc-Person")]).toEqual([path, bobId]);
  }
  const asAda = { "Svc-Person": adaId };
  const refused = [409, "other_person"];
  expect(brief(await bob.send("POST", "/api/apps", JSON.stringify(app("mixed-up")), asAda))).toEqual(refused);
  expect(brief(await bob.send("POST", "/auth/sign-out", "{}", asAda))).toEqual(refused);
  for (const path of ["/api/apps", "/auth/session"]) expect(brief(await bob.get(path, asAda))).toEqual(refused);
  expect((await bob.get("/api/apps", { "Svc-Person": bobId })).json).toEqual({ apps: [] });
  const caller = await http.addCaller();
  expect((await caller.call("GET", "/api/apps")).headers.has("Svc-Person")).toBe(false);
});

test("pages of other sites change nothing with a session: by form, by script, or without saying where from", async () => {
  const body = JSON.stringify(app("forged"));
  const attempts: Record<string, string>[] = [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "" },
    { Origin: `${ORIGIN}.evil.example` },
    { Origin: "https://evil.example", "Content-Type": "text/plain" },
  ];
  for (const headers of attempts) {
    const reply = await ada.send("POST", "/api/apps", body, headers);
    expect([headers, ...brief(reply)]).toEqual([headers, 403, "origin_refused"]);
  }
  const form = await ada.send("POST", "/api/apps", "name=forged", {
    "Content-Type": "application/x-www-form-urlencoded",
  });
  expect(brief(form)).toEqual([415, "unsupported_media_type"]);
  const deploy = await ada.send("POST", "/api/apps/mine/deploy", "", { Origin: "https://evil.example" });
  expect(brief(deploy)).toEqual([403, "origin_refused"]);
  const { rows } = await http.database.query("select 1 from apps where name = 'forged'");
  expect(rows).toEqual([]);
});

test("a request with a key is the key's alone, also when its browser sends a session along", async () => {
  const other = await http.addCaller({ scopes: ["apps:read"] });
  const send = (method: string, key: string, body = "") =>
    ada.send(method, "/api/apps", body, { Authorization: `Bearer ${key}` });
  expect((await send("GET", other.key)).json).toEqual({ apps: [] });
  expect(brief(await send("POST", other.key, JSON.stringify(app("both"))))).toEqual([403, "insufficient_scope"]);
  // A wrong key is not made up for by a right cookie.
  expect((await send("GET", "svc_wrong")).status).toBe(401);
});

test("a session that has ended, is forged or is another installation's is no session", async () => {
  const browser = await new Browser(http).join("ben@example.test");
  const { cookie } = browser;
  expect((await browser.get("/api/apps")).status).toBe(200);
  await browser.post("/auth/sign-out");
  const [name, value = ""] = cookie.split(/=(.*)/s);
  for (const forged of [cookie, `${name}=${value.split(".")[0]}`, `${name}=${value.slice(0, -3)}AAA`, `${name}=`]) {
    browser.cookie = forged;
    expect((await browser.get("/api/apps")).status).toBe(401);
  }
});

test("what somebody is told in a session is kept by no cache, and shown in no frame of another origin", async () => {
  for (const path of ["/api/apps", "/api/me", "/api/apps/none", "/auth/session", "/auth/export"]) {
    const { headers } = await ada.get(path);
    const names = [
      "Cache-Control",
      "Content-Security-Policy",
      "Cross-Origin-Resource-Policy",
      "X-Content-Type-Options",
    ];
    const frames = "default-src 'none'; frame-ancestors 'none'";
    expect([path, ...names.map((name) => headers.get(name))]).toEqual([
      path,
      "no-store",
      frames,
      "same-origin",
      "nosniff",
    ]);
  }
});

test("somebody whose address is not verified reads, and changes nothing", async () => {
  const browser = await new Browser(http).join("eve@example.test");
  await http.database.query("update users set email_verified_at = null where email = 'eve@example.test'");
  expect((await browser.get("/api/apps")).status).toBe(200);
  expect(brief(await browser.post("/api/apps", app("early")))).toEqual([403, "email_not_verified"]);
});

test("writes count per person, whichever key or session they come with", async () => {
  const slow = await startTestApi({
    database: http.database,
    tiers: { free: { apps: 9, memoryBytes: 1, cpuMillis: 1, writes: { perMinute: 1, burst: 2 }, reads: null } },
  });
  const browser = await new Browser(slow).join("fay@example.test");
  const { id } = (await browser.get("/api/me")).json["user"] as { id: string };
  const key = await slow.addCaller({ userId: id });
  const answers = [
    await browser.post("/api/apps", app("f1")),
    await key.call("POST", "/api/apps", app("f2")),
    await browser.post("/api/apps", app("f3")),
    await key.call("POST", "/api/apps", app("f4")),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 429, 429]);
  await slow.stop();
});

/** Follows the deploy of an app until the stream ends. */
async function follow(name: string): Promise<{ ended: () => boolean }> {
  const query = "select d.id from deploys d join apps a on a.id = d.app_id where a.name = $1";
  const { id } = (await http.database.query(query, [name])).rows[0] as { id: string };
  const response = await http.api.request(`/api/deploys/${id}/events`, { headers: { Cookie: ada.cookie } });
  expect(response.status).toBe(200);
  let ended = false;
  void (async () => {
    for await (const _ of response.body!) continue;
    ended = true;
  })();
  return { ended: () => ended };
}

test("what somebody follows ends when they leave its team, and the rest goes on until they sign out", async () => {
  for (const name of ["mine", "ours"]) expect((await ada.post(`/api/apps/${name}/deploy`)).status).toBe(202);
  const [mine, ours] = [await follow("mine"), await follow("ours")];
  const place = `/api/teams/${team.id}/members/${adaId}`;
  expect((await team.ownerIn.call("DELETE", place)).status).toBe(204);
  await eventually(ours.ended, Boolean, { what: "the stream of the team's deploy ends" });
  expect(mine.ended()).toBe(false);
  expect((await ada.get("/api/apps/ours")).status).toBe(404);
  await ada.post("/auth/sign-out");
  await eventually(mine.ended, Boolean, { what: "the other stream ends with the session" });
});
