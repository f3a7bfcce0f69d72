import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, PASSWORD } from "../../support/people/person.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { startTestApi, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { makeTeam, type Team } from "../../support/api/team-world.ts";

let http: TestApi;
let team: Team;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];

beforeAll(async () => {
  http = await startTestApi();
  team = await makeTeam(http, "Rockets");
});
afterAll(() => http?.stop());

const addressOf = ({ userId }: Caller): string => `${userId}@example.test`;
const invite = (email: string, role = "developer"): Promise<Reply> =>
  team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, { email, role });
const accept = (by: Caller, token: string): Promise<Reply> => by.call("POST", "/api/invitations/accept", { token });

/** The text of the newest mail to the address. */
const mailTo = async (email: string): Promise<string> => (await mailsTo(http, email)).at(-1)!.text;

const tokenIn = (mail: string): string => /#token=(\S+)/.exec(mail)![1]!;

test("whoever has the mail's link and its address becomes a member, once", async () => {
  const ben = await http.addCaller();
  const { status, json } = await invite(addressOf(ben));
  expect([status, json]).toMatchObject([
    201,
    { invitation: { email: addressOf(ben), role: "developer", invited_by: addressOf(team.owner) }, mail: "sent" },
  ]);
  const mail = await mailTo(addressOf(ben));
  expect(mail).toContain('join the team "Rockets"');
  expect(mail).toContain("http://127.0.0.1/invitation#token=");
  // The answer does not hold what the mail proves.
  expect(JSON.stringify(json)).not.toContain(tokenIn(mail));
  const joined = await accept(ben, tokenIn(mail));
  expect([joined.status, joined.json["team"]]).toMatchObject([
    200,
    { id: team.id, name: "Rockets", role: "developer" },
  ]);
  expect(brief(await accept(ben, tokenIn(mail)))).toEqual([404, "invitation_invalid"]);
  const key = await team.keyOf(ben.userId);
  expect((await key.call("GET", "/api/apps")).status).toBe(200);
});

test("without a mail server the answer says that the mail stays on the service's machine", async () => {
  const mailless = await startTestApi({ database: http.database, sendsMail: false });
  try {
    const caller = await mailless.addCaller({ userId: team.owner.userId, teamId: team.id });
    const body = { email: "nobody@example.test", role: "viewer" };
    expect((await caller.call("POST", `/api/teams/${team.id}/invitations`, body)).json).toMatchObject({ mail: "kept" });
  } finally {
    await mailless.stop();
  }
});

test("an invitation's link tells what it is for, as long as it is good", async () => {
  const ben = await http.addCaller();
  await invite(addressOf(ben));
  const token = tokenIn(await mailTo(addressOf(ben)));
  const browser = new Browser(http);
  expect((await browser.post("/auth/join/invitation", { token })).json).toEqual({
    email: addressOf(ben),
    team: { name: "Rockets", role: "developer", invited_by: addressOf(team.owner) },
  });
  expect((await accept(ben, token)).status).toBe(200);
  for (const used of [token, "x", "A".repeat(43)]) {
    expect(brief(await browser.post("/auth/join/invitation", { token: used }))).toEqual([410, "link_invalid"]);
  }
});

test("an invitation changes no role of somebody who is in the team by then", async () => {
  const ben = await http.addCaller();
  await invite(addressOf(ben), "owner");
  const token = tokenIn(await mailTo(addressOf(ben)));
  const row = [team.id, ben.userId];
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')", row);
  expect((await accept(ben, token)).json["team"]).toMatchObject({ id: team.id, role: "viewer" });
  const query = "select role from team_members where team_id = $1 and user_id = $2";
  expect((await http.database.query(query, row)).rows).toEqual([{ role: "viewer" }]);
});

test("an invitation is of no use to another address, and stays good for its own", async () => {
  const [ben, eve] = [await http.addCaller(), await http.addCaller()];
  await invite(addressOf(ben));
  const token = tokenIn(await mailTo(addressOf(ben)));
  expect(brief(await accept(eve, token))).toEqual([404, "invitation_invalid"]);
  expect((await accept(ben, token)).status).toBe(200);
});

test("an address that is not verified accepts nothing", async () => {
  const ben = await http.addCaller({ verified: false });
  await invite(addressOf(ben));
  expect(brief(await accept(ben, tokenIn(await mailTo(addressOf(ben)))))).toEqual([403, "email_not_verified"]);
});

test("an invitation that was taken back, replaced or has expired is as one that never was", async () => {
  const ben = await http.addCaller();
  const answers: unknown[] = [brief(await accept(ben, "none"))];
  const { json } = await invite(addressOf(ben), "owner");
  const replaced = tokenIn(await mailTo(addressOf(ben)));
  await invite(addressOf(ben), "viewer");
  answers.push(brief(await accept(ben, replaced)));
  const { invitations } = (await team.ownerIn.call("GET", `/api/teams/${team.id}/invitations`)).json as {
    invitations: { id: string; email: string; role: string }[];
  };
  const own = invitations.filter(({ email }) => email === addressOf(ben));
  expect(own).toMatchObject([{ role: "viewer" }]);
  const place = `/api/teams/${team.id}/invitations`;
  const { id: former } = json["invitation"] as { id: string };
  expect((await team.ownerIn.call("DELETE", `${place}/${former}`)).status).toBe(404);
  const takenBack = tokenIn(await mailTo(addressOf(ben)));
  expect((await team.ownerIn.call("DELETE", `${place}/${own[0]!.id}`)).status).toBe(204);
  answers.push(brief(await accept(ben, takenBack)));
  await invite(addressOf(ben));
  await http.database.query("update team_invitations set expires_at = now()");
  answers.push(brief(await accept(ben, tokenIn(await mailTo(addressOf(ben))))));
  for (const answer of answers) expect(answer).toEqual([404, "invitation_invalid"]);
});

test("two requests with one link make one member, and one of them is refused", async () => {
  const ben = await http.addCaller();
  await invite(addressOf(ben));
  const token = tokenIn(await mailTo(addressOf(ben)));
  const answers = await Promise.all([accept(ben, token), accept(ben, token), accept(ben, token)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
});

test("members, wrong addresses and a personal team are refused, and no mail is sent", async () => {
  const member = await team.addMember("viewer");
  const count = async () => (await http.database.query("select count(*)::int as n from mails")).rows[0];
  const before = await count();
  expect(brief(await invite(addressOf(member).toUpperCase()))).toEqual([409, "already_member"]);
  for (const email of ["", "ada", "ada@b\r\nBcc: eve@example.com", "a@b, c@d"]) {
    expect([email, ...brief(await invite(email))]).toEqual([email, 400, "invalid_request"]);
  }
  const personal = `/api/teams/${team.owner.userId}/invitations`;
  const own = await team.owner.call("POST", personal, { email: "ada@example.com", role: "viewer" });
  expect(brief(own)).toEqual([409, "personal_team"]);
  expect(await count()).toEqual(before);
});

test("the answer does not tell whether somebody has an account with the address", async () => {
  const known = await http.addCaller();
  const [first, second] = [await invite(addressOf(known)), await invite("nobody-here@example.test")];
  expect(Object.keys(first.json["invitation"] as object)).toEqual(Object.keys(second.json["invitation"] as object));
  expect([first.status, second.status]).toEqual([201, 201]);
});

test("somebody who has no account makes it with the invitation, and is in the team at once", async () => {
  const email = "gil@example.test";
  await invite(email, "deployer");
  const token = tokenIn(await mailTo(email));
  const browser = new Browser(http);
  const joined = await browser.post("/auth/join", { token, name: "Gil", password: PASSWORD });
  expect(joined.status).toBe(201);
  const { json } = await browser.get("/api/me");
  expect(json).toMatchObject({
    user: { email, email_verified: true },
    teams: [
      { personal: true, role: "owner" },
      { id: team.id, role: "deployer" },
    ],
  });
  const again = await new Browser(http).post("/auth/join", { token, name: "Eve", password: PASSWORD });
  expect(brief(again)).toEqual([410, "link_invalid"]);
  const { rows } = await http.database.query(
    "select actor from audit_log where action = 'member.join' and owner_id = $1 order by id desc limit 1",
    [team.id],
  );
  expect(rows).toEqual([{ actor: `user:${String((json["user"] as { id: string }).id)}` }]);
});

test("an invitation sets no password for somebody who has one", async () => {
  const email = "hal@example.test";
  await new Browser(http).join(email);
  await invite(email);
  const token = tokenIn(await mailTo(email));
  const reply = await new Browser(http).post("/auth/join", { token, name: "Eve", password: "another long password" });
  expect(brief(reply)).toEqual([410, "link_invalid"]);
  expect((await new Browser(http).signIn(email, "another long password")).status).toBe(401);
  // It is still good for who it was sent to.
  const signedIn = new Browser(http);
  await signedIn.signIn(email);
  expect((await signedIn.post("/api/invitations/accept", { token })).status).toBe(200);
});

test("nobody is sent more than a few invitations, nor sends them to everybody", async () => {
  const answers: number[] = [];
  for (let index = 0; index < 4; index++) answers.push((await invite("often@example.test")).status);
  expect(answers).toEqual([201, 201, 201, 429]);
  const eager = await makeTeam(http);
  const place = `/api/teams/${eager.id}/invitations`;
  const statuses = new Map<number, number>();
  for (let index = 0; index < 60; index++) {
    const { status } = await eager.ownerIn.call("POST", place, { email: `p${index}@example.test`, role: "viewer" });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([statuses.get(201), statuses.get(429)]).toEqual([50, 10]);
});

test("whoever may not invite any more does not come back by an invitation of their own", async () => {
  const shared = await makeTeam(http);
  const place = `/api/teams/${shared.id}`;
  for (const leave of ["DELETE", "PUT"] as const) {
    const second = await shared.addMember("owner");
    const email = `${leave.toLowerCase()}-second-address@example.test`;
    await second.call("POST", `${place}/invitations`, { email, role: "owner" });
    const body = leave === "PUT" ? { role: "viewer" } : undefined;
    await shared.ownerIn.call(leave, `${place}/members/${second.userId}`, body);
    const token = tokenIn(await mailTo(email));
    const reply = await new Browser(http).post("/auth/join", { token, name: "Eve", password: PASSWORD });
    expect([leave, ...brief(reply)]).toEqual([leave, 410, "link_invalid"]);
  }
});
