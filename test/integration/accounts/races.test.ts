import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import { untilWaiting } from "../../support/database/until-waiting.ts";
import { erasePerson, lockPerson } from "@svc/control-plane/accounts/identity/people.store.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, PASSWORD, tokenOf } from "../../support/people/person.ts";

let http: TestApi;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const app = (name: string) => ({ name, repo_url: `https://github.com/you/${name}` });

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

const idOf = async (browser: Browser): Promise<string> =>
  ((await browser.get("/auth/session")).json["person"] as { id: string }).id;

test("an account is not deleted while its personal team gets an app", async () => {
  const browser = await new Browser(http).join("del-app@example.test");
  const id = await idOf(browser);
  const [deleting] = await http.parts.db.transaction().execute(async (tx) => {
    // As whoever makes an app does.
    await tx.selectFrom("teams").select("id").where("id", "=", id).forUpdate().execute();
    const asked = browser.post("/auth/delete", { password: PASSWORD });
    await untilWaiting(http.database);
    await sql`insert into apps (id, owner_id, name, status) values (${newId()}, ${id}, 'orphan', 'deploying')`.execute(
      tx,
    );
    return [asked] as const;
  });
  expect(brief(await deleting)).toEqual([409, "team_in_use"]);
});

test("a request that waits while its account is deleted makes nothing", async () => {
  const browser = await new Browser(http).join("late@example.test");
  const id = await idOf(browser);
  const asked = await http.parts.db.transaction().execute(async (tx) => {
    await tx.selectFrom("teams").select("id").where("id", "=", id).forUpdate().execute();
    const making = [browser.post("/api/apps", app("late-app")), browser.post("/api/teams", { name: "Late" })];
    await untilWaiting(http.database, 2);
    await sql`update users set deleted_at = now() where id = ${id}`.execute(tx);
    return [making] as const;
  });
  for (const reply of await Promise.all(asked[0])) expect(brief(reply)).toEqual([404, "not_found"]);
});

test("an account without a password that is deleted meanwhile gets no address and no second factor", async () => {
  const browser = await new Browser(http).join("gone@example.test");
  const id = await idOf(browser);
  await http.database.query("delete from accounts where user_id = $1", [id]);
  const asked = await http.parts.db.transaction().execute(async (tx) => {
    await lockPerson(tx, id);
    const asking = [browser.post("/auth/address", { email: "next@example.test" }), browser.post("/auth/second-factor")];
    await untilWaiting(http.database, 2);
    await erasePerson(tx, id);
    return [asking] as const;
  });
  for (const reply of await Promise.all(asked[0])) expect(brief(reply)).toEqual([401, "credentials_invalid"]);
  expect(await mailsTo(http, "next@example.test")).toEqual([]);
});

test("a request for a team that is deleted meanwhile finds none", async () => {
  const team = await makeTeam(http);
  const reply = await http.parts.db.transaction().execute(async (tx) => {
    await tx.deleteFrom("teams").where("id", "=", team.id).execute();
    const asked = team.ownerIn.call("POST", "/api/apps", app("late"));
    await untilWaiting(http.database);
    return [asked] as const;
  });
  expect(brief(await reply[0])).toEqual([404, "not_found"]);
});

test("an invitation that is accepted and taken back at once gives either answer, and no fault", async () => {
  const team = await makeTeam(http, "Both");
  const browser = await new Browser(http).join("both@example.test");
  for (let round = 0; round < 8; round += 1) {
    await http.database.query("delete from auth_rate_limits");
    const made = await team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, {
      email: "both@example.test",
      role: "viewer",
    });
    const { id } = made.json["invitation"] as { id: string };
    const token = tokenOf(
      (await mailsTo(http, "both@example.test")).findLast(({ kind }) => kind === "invitation")!.link,
    );
    const answers = await Promise.all([
      team.ownerIn.call("DELETE", `/api/teams/${team.id}/invitations/${id}`),
      browser.post("/api/invitations/accept", { token }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    await http.database.query("delete from team_members where team_id = $1 and role = 'viewer'", [team.id]);
  }
});

test("an invitation is accepted under the lock of its team", async () => {
  const team = await makeTeam(http, "Locked");
  const browser = await new Browser(http).join("locked@example.test");
  await team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, {
    email: "locked@example.test",
    role: "viewer",
  });
  const token = tokenOf(
    (await mailsTo(http, "locked@example.test")).findLast(({ kind }) => kind === "invitation")!.link,
  );
  const accepting = await http.parts.db.transaction().execute(async (tx) => {
    await tx.selectFrom("teams").select("id").where("id", "=", team.id).forUpdate().execute();
    const asked = browser.post("/api/invitations/accept", { token });
    await untilWaiting(http.database);
    // As whoever takes it back does, holding the team's row.
    await tx.deleteFrom("team_invitations").where("team_id", "=", team.id).execute();
    return [asked] as const;
  });
  expect(brief(await accepting[0])).toEqual([404, "invitation_invalid"]);
});

test("a key that is made while its maker is taken out of the team does not work when they come back", async () => {
  const team = await makeTeam(http, "Keys");
  const browser = await new Browser(http).join("keys@example.test");
  const id = await idOf(browser);
  const join = () =>
    http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')", [team.id, id]);
  await join();
  const asked = await http.parts.db.transaction().execute(async (tx) => {
    await tx.selectFrom("teams").select("id").where("id", "=", team.id).forUpdate().execute();
    const removing = team.ownerIn.call("DELETE", `/api/teams/${team.id}/members/${id}`);
    await untilWaiting(http.database);
    const making = browser.post("/auth/keys", { name: "late", team: team.id });
    await untilWaiting(http.database, 2);
    return [removing, making] as const;
  });
  expect((await asked[0]).status).toBe(204);
  expect(brief(await asked[1])).toEqual([404, "not_found"]);
});
