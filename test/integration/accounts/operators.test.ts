import { Command } from "commander";
import { CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_TIERS } from "@svc/control-plane/accounts/tier.ts";
import { registerUserCommands } from "@svc/control-plane/admin/user-commands.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { untilWaiting } from "../../support/database/until-waiting.ts";
import { addOperator } from "../../support/people/operator.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";

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

async function admin(...args: string[]) {
  const printed: { value: Record<string, unknown>; human: string }[] = [];
  const program = new Command().exitOverride();
  registerUserCommands(program, {
    tiers: DEFAULT_TIERS,
    baseUrl: "https://svc.example.com",
    withDatabase: (work) => work(http.parts.db),
    print: (value, human) => void printed.push({ value: value as Record<string, unknown>, human }),
  });
  await program.parseAsync(["user", ...args], { from: "user" });
  return printed[0]!;
}

const setTier = (browser: Browser, team: string, body: object) =>
  browser.send("PUT", `/api/operator/teams/${team}/tier`, JSON.stringify(body));

test("somebody is an operator from the command to its --revoke, each with its entry, and from the next request on", async () => {
  const ada = await new Browser(http).join("ada@example.test");
  expect(brief(await ada.get("/api/servers"))).toEqual(NOTHING);
  const { value, human } = await admin("operator", "--email", "ada@example.test");
  expect([value["operator"], human]).toEqual([true, "ada@example.test is an operator."]);
  expect((await ada.get("/api/servers")).status).toBe(200);
  expect((await ada.get("/auth/session")).json["person"]).toMatchObject({ operator: true });
  expect((await admin("list")).human).toMatch(/OPERATOR/);
  await admin("operator", "--email", "ada@example.test", "--revoke");
  expect(brief(await ada.get("/api/servers"))).toEqual(NOTHING);
  const entries = await rows(
    "select actor, action, detail from audit_log where detail->>'email' = 'ada@example.test' and action like 'operator.%' order by id",
  );
  const detail = { email: "ada@example.test" };
  expect(entries).toEqual([
    { actor: "operator", action: "operator.grant", detail },
    { actor: "operator", action: "operator.revoke", detail },
  ]);
});

test("a user that is made with --operator is one", async () => {
  expect((await admin("create", "--email", "first@example.test", "--operator")).value["operator"]).toBe(true);
});

test("an ended session, and a deleted account, are no operator's any more", async () => {
  const other = new Browser(http);
  await other.signIn(email);
  await other.post("/auth/sign-out");
  expect((await other.get("/api/servers")).status).toBe(401);
  expect((await operator.post("/auth/delete", { password: PASSWORD })).status).toBe(204);
  expect(await rows("select is_operator from users where email like '%@deleted.invalid' and is_operator")).toEqual([]);
});

test.each([
  ["signed out", "delete from sessions where user_id = $1", [401, "unauthorized"]],
  ["no operator any more", "update users set is_operator = false where id = $1", NOTHING],
])("a change by somebody who is %s while it runs is not made", async (_, end, answer) => {
  const name = `waits-${number}`;
  const id = await http.addServer(name);
  const userId = await idOf(email);
  const { changing } = await http.database.db.transaction().execute(async (tx) => {
    // The person's row is what a change waits for.
    await sql`select from users where id = ${userId} for update`.execute(tx);
    const running = operator.post(`/api/servers/${name}/drain`);
    await untilWaiting(http.database);
    await tx.executeQuery(CompiledQuery.raw(end, [userId]));
    return { changing: running };
  });
  expect(brief(await changing)).toEqual(answer);
  expect(await rows("select state from servers where id = $1", id)).toEqual([{ state: "active" }]);
});

test("all teams are listed by pages and found by name or owner, with names and numbers alone", async () => {
  const team = await makeTeam(http, "Balloons & Kites");
  await team.addMember("viewer");
  await team.ownerIn.call("POST", "/api/apps", { name: "kite", repo_url: "https://github.com/you/kite" });
  const found = await operator.get(`/api/operator/teams?find=${encodeURIComponent("LLOONS & k")}`);
  expect(found.json).toEqual({
    teams: [
      {
        id: team.id,
        name: "Balloons & Kites",
        personal: false,
        owner: `${team.owner.userId}@example.test`,
        tier: "team",
        pools: [],
        members: 2,
        apps: 1,
        created_at: expect.stringMatching(/Z$/),
      },
    ],
  });
  const byOwner = await operator.get(`/api/operator/teams?find=${team.owner.userId}`);
  expect(byOwner.json["teams"]).toMatchObject([{ personal: true }, { personal: false, id: team.id }]);
  const [{ count }] = (await rows(
    "select count(*)::integer as count from teams t left join users u on u.id = t.user_id where u.deleted_at is null",
  )) as [{ count: number }];
  const ids: string[] = [];
  for (let cursor: unknown = ""; cursor !== undefined;) {
    const { json } = await operator.get(
      `/api/operator/teams?limit=3${cursor === "" ? "" : `&cursor=${String(cursor)}`}`,
    );
    ids.push(...(json["teams"] as { id: string }[]).map(({ id }) => id));
    cursor = json["next_cursor"];
  }
  expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  for (const query of ["cursor=x", "find=%00", "limit=0"]) {
    expect([query, ...brief(await operator.get(`/api/operator/teams?${query}`))]).toEqual([
      query,
      400,
      "invalid_request",
    ]);
  }
});

test("a team's tier is set by whoever proves who they are: its owners read that an operator did it, operators who", async () => {
  const team = await makeTeam(http);
  const names = ((await operator.get("/api/operator/tiers")).json["tiers"] as { name: string }[]).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["free", "pro", "team"]);
  expect(brief(await setTier(operator, team.id, { tier: "pro" }))).toEqual([401, "credentials_invalid"]);
  expect(brief(await setTier(operator, team.id, { tier: "gold", password: PASSWORD }))).toEqual([
    400,
    "invalid_request",
  ]);
  expect((await setTier(operator, team.id, { tier: "pro", password: PASSWORD })).json["team"]).toMatchObject({
    tier: "pro",
  });
  expect((await team.ownerIn.call("GET", "/api/tier")).json["tier"]).toMatchObject({ name: "pro" });
  const theirs = await team.ownerIn.call("GET", `/api/teams/${team.id}/activity?action=team.tier`);
  expect(theirs.json["activity"]).toMatchObject([{ actor: "operator", email: null, detail: { tier: "pro" } }]);
  expect(theirs.text).not.toContain(email);
  const platform = await operator.get("/api/operator/activity?action=team.tier&limit=1");
  expect(platform.json["activity"]).toMatchObject([
    { email, action: "team.tier", target_name: "Acme", detail: { team: "Acme", tier: "pro" } },
  ]);

  const personal = team.owner.userId;
  expect((await setTier(operator, personal, { tier: "free", password: PASSWORD })).status).toBe(200);
  expect(await rows("select tier from users where id = $1", personal)).toEqual([{ tier: "free" }]);
});

test("two operators who change each other's tier in one moment both succeed", async () => {
  const otherEmail = `other-${email}`;
  const other = await addOperator(http, otherEmail);
  const [mine, theirs] = [await idOf(email), await idOf(otherEmail)];
  const answers = await http.parts.db.transaction().execute(async (tx) => {
    await sql`select 1 from teams where user_id in (${mine}, ${theirs}) for update`.execute(tx);
    // Each has the row of whoever asks, and will want the other's.
    const asked = [
      setTier(operator, theirs, { tier: "free", password: PASSWORD }),
      setTier(other, mine, { tier: "team", password: PASSWORD }),
    ];
    await untilWaiting(http.database, asked.length);
    return asked;
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  const tiers = await rows("select id, tier from users where id in ($1, $2)", mine, theirs);
  expect(Object.fromEntries(tiers.map(({ id, tier }) => [id, tier]))).toEqual({ [mine]: "team", [theirs]: "free" });
});

test("the platform's own entries are read by pages, by kind and by person, and hold no team's", async () => {
  const team = await makeTeam(http);
  await http.addServer(`seen-${number}`);
  await operator.post(`/api/servers/seen-${number}/drain`);
  await operator.post(`/api/servers/seen-${number}/undrain`);
  const mine = `/api/operator/activity?user=${await idOf(email)}`;
  const first = await operator.get(`${mine}&limit=1`);
  expect(first.json["activity"]).toMatchObject([{ action: "server.undrain", email, target_name: `seen-${number}` }]);
  const second = await operator.get(`${mine}&limit=1&cursor=${String(first.json["next_cursor"])}`);
  expect([second.json["activity"], second.json["next_cursor"]]).toMatchObject([
    [{ action: "server.drain" }],
    undefined,
  ]);
  const all = await operator.get("/api/operator/activity?limit=200");
  expect(all.text).not.toContain(team.id);
});

async function idOf(address: string): Promise<string> {
  const [{ id }] = (await rows("select id from users where email = $1", address)) as [{ id: string }];
  return id;
}
