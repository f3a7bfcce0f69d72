import { afterAll, beforeAll, expect, test } from "vitest";
import { replyOf, type Reply, type TestApi } from "../support/api/http.ts";
import { makeTeam } from "../support/api/team-world.ts";
import { OAuthProgram } from "../support/assistant/oauth-program.ts";
import { startCutOffWorld, type Attempt, type CutOffWorld } from "../support/people/cut-off-world.ts";
import { mailsTo } from "../support/people/outbox.ts";
import { Browser, joinToken, PASSWORD, randomAddress, tokenOf } from "../support/people/person.ts";

const NEW_PASSWORD = "another long password";

let world: CutOffWorld;
let cut: TestApi;
let http: TestApi;

beforeAll(async () => {
  world = await startCutOffWorld();
  ({ cut, http } = world);
});
afterAll(() => world?.stop());

async function form(api: TestApi, path: string, fields: Record<string, string>): Promise<Reply> {
  return replyOf(
    await api.api.request(
      path,
      {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": randomAddress() },
        body: new URLSearchParams(fields).toString(),
      },
      { incoming: { socket: { remoteAddress: "127.0.0.1" } } },
    ),
  );
}

const attempts: Record<string, () => Promise<Attempt>> = {
  async "a joining"() {
    const email = world.newEmail();
    const token = await joinToken(http, email);
    const join = (api: TestApi) => new Browser(api).post("/auth/join", { token, name: "Ann", password: PASSWORD });
    return {
      send: () => join(cut),
      done: async () => ({
        session: await world.hasSession(email),
        audited: await world.isAudited(email, "user.join"),
      }),
      async goOn(wasDone) {
        expect((await join(http)).status).toBe(wasDone ? 410 : 201);
        expect(await world.canSignIn(email, PASSWORD)).toBe(true);
      },
    };
  },
  async "a reset"() {
    const email = world.newEmail();
    await new Browser(http).join(email);
    await new Browser(http).post("/auth/forgot", { email });
    await http.identity.settled();
    const token = tokenOf((await mailsTo(http, email)).find(({ kind }) => kind === "reset")!.link);
    const reset = (api: TestApi) => new Browser(api).post("/auth/reset", { token, password: NEW_PASSWORD });
    return {
      send: () => reset(cut),
      done: async () => ({
        sessionsEnded: !(await world.hasSession(email)),
        audited: await world.isAudited(email, "user.reset_password"),
      }),
      async goOn(wasDone) {
        expect(await world.canSignIn(email, wasDone ? NEW_PASSWORD : PASSWORD)).toBe(true);
        expect((await reset(http)).status).toBe(wasDone ? 410 : 204);
        expect(await world.canSignIn(email, NEW_PASSWORD)).toBe(true);
      },
    };
  },
  async "a change of address"() {
    const [email, next] = [world.newEmail(), world.newEmail()];
    await (await new Browser(http).join(email)).post("/auth/address", { email: next, password: PASSWORD });
    const token = tokenOf((await mailsTo(http, next))[0]!.link);
    const confirm = (api: TestApi) => new Browser(api).post("/auth/address/confirm", { token });
    return {
      send: () => confirm(cut),
      done: async () => ({
        changed: await world.isOne("select from users where email = $1", next),
        formerTold: await world.isMailed(email, "address_changed"),
      }),
      async goOn(wasDone) {
        expect((await confirm(http)).status).toBe(wasDone ? 410 : 204);
        expect(await world.canSignIn(next, PASSWORD)).toBe(true);
      },
    };
  },
  async "a device's poll for its key"() {
    const email = world.newEmail();
    const browser = await new Browser(http).join(email);
    const { json } = await form(http, "/auth/device/code", { client_id: "svc-cli" });
    expect((await browser.post("/auth/device/approve", { user_code: json["user_code"] })).status).toBe(200);
    const fields = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "svc-cli",
      device_code: String(json["device_code"]),
    };
    const poll = (api: TestApi) => async () => {
      // As if the client had waited for its interval.
      await http.database.query("update device_codes set polled_at = polled_at - interval '10 s'");
      return form(api, "/auth/device/token", fields);
    };
    return {
      send: poll(cut),
      done: async () => ({
        key: await world.isOne("select from api_keys k join users u on u.id = k.user_id where u.email = $1", email),
        audited: await world.isAudited(email, "key.create"),
      }),
      async goOn(wasDone) {
        expect((await poll(http)()).status).toBe(wasDone ? 400 : 200);
      },
    };
  },
  async "the exchange of a program's code for its key"() {
    const email = world.newEmail();
    const browser = await new Browser(http).join(email);
    const { id } = (await browser.get("/api/me")).json["user"] as { id: string };
    const program = await OAuthProgram.register(http);
    const code = await program.allowedBy(browser, id);
    return {
      send: () => program.at(cut).exchange(code),
      done: async () => ({
        key: await world.isOne("select from api_keys where user_id = $1 and revoked_at is null", id),
        used: await world.isOne("select from oauth_codes where user_id = $1 and used_at is not null", id),
        audited: await world.isAudited(email, "key.create"),
      }),
      async goOn(wasDone) {
        // Nobody knows whether the first request was the program's.
        expect((await program.exchange(code)).status).toBe(wasDone ? 400 : 200);
        expect(await world.isOne("select from api_keys where user_id = $1 and revoked_at is null", id)).toBe(!wasDone);
      },
    };
  },
  async "the deletion of an account"() {
    const email = world.newEmail();
    const browser = await new Browser(http).join(email);
    const { id } = (await browser.get("/api/me")).json["user"] as { id: string };
    return {
      send: () => world.atCut(browser).post("/auth/delete", { password: PASSWORD }),
      done: async () => ({
        // The row stays without the address, as the author of deploys.
        gone: await world.isOne("select from users where id = $1 and email <> $2", id, email),
        signedOut: !(await world.isOne("select from sessions where user_id = $1", id)),
        audited: await world.isOne("select from audit_log where action = 'user.delete' and actor = $1", `user:${id}`),
      }),
      goOn: async (wasDone) => expect(await world.canSignIn(email, PASSWORD)).toBe(!wasDone),
    };
  },
  async "an invitation that is accepted"() {
    const team = await makeTeam(http);
    const email = world.newEmail();
    const browser = await new Browser(http).join(email);
    await team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, { email, role: "developer" });
    const token = tokenOf((await mailsTo(http, email)).at(-1)!.link);
    const accept = (by: Browser) => by.post("/api/invitations/accept", { token });
    return {
      send: () => accept(world.atCut(browser)),
      done: async () => ({
        member: await world.isOne("select from team_members where team_id = $1 and role = 'developer'", team.id),
        usedUp: !(await world.isOne("select from team_invitations where team_id = $1", team.id)),
        audited: await world.isOne("select from audit_log where action = 'member.join' and owner_id = $1", team.id),
      }),
      goOn: async (wasDone) => expect((await accept(browser)).status).toBe(wasDone ? 404 : 200),
    };
  },
  async "an app that is handed over"() {
    const email = world.newEmail();
    const browser = await new Browser(http).join(email);
    const { id } = (await browser.get("/api/me")).json["user"] as { id: string };
    const team = await makeTeam(http);
    await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')", [
      team.id,
      id,
    ]);
    const name = `app-of-${email.split("@")[0]}`;
    expect((await browser.post("/api/apps", { name, template: "express-postgres" })).status).toBe(201);
    const handOver = (by: Browser) => by.post(`/api/apps/${name}/hand-over`, { team: team.id });
    return {
      send: () => handOver(world.atCut(browser)),
      done: async () => ({
        given: await world.isOne("select from apps where name = $1 and owner_id = $2", name, team.id),
        repository: await world.isOne("select from apps where name = $1 and repo_url like $2", name, `%${team.id}%`),
        audited: await world.isOne("select from audit_log where action = 'app.receive' and owner_id = $1", team.id),
      }),
      goOn: async (wasDone) => {
        const clone = await browser.get(`/api/apps/${name}`);
        expect(clone.status).toBe(200);
        if (!wasDone) expect((await handOver(browser)).status).toBe(204);
      },
    };
  },
};

test.each(Object.entries(attempts))(
  "%s that loses its database at any statement is done or not done, and the person can go on",
  async (_name, begin) => expect(await world.loseAtEachStatement(begin)).toBeGreaterThan(5),
);
