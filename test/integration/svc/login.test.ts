import { once } from "node:events";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTeam } from "../../support/api/team-world.ts";
import { Browser } from "../../support/people/person.ts";
import { CTRL_C, openSvcTerminal, type SvcTerminal } from "../../support/svc/svc-terminal.ts";
import { makeSvcUser, type SvcUser } from "../../support/svc/svc.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";
import { eventually } from "../../support/tools/eventually.ts";

let world: SvcWorld;
let user: SvcUser;
let ada: Browser;
let adaId: string;

beforeAll(async () => {
  world = await startSvcWorld();
  // Without address and key in the environment.
  user = await makeSvcUser();
  ada = await new Browser(world.http).join("ada@example.com");
  adaId = ((await ada.get("/api/me")).json["user"] as { id: string }).id;
});
afterAll(async () => {
  await user?.remove();
  await world?.stop();
});

const credentials = () => join(user.home, ".config/svc/credentials.json");
async function codeOn(terminal: SvcTerminal): Promise<string> {
  await terminal.sees(/Ctrl-C leaves/);
  return /^ {4}([A-Z]{4}-[A-Z]{4})\r?$/m.exec(terminal.screen())?.[1] ?? "";
}
/** Has the folder's programs found before others. */
async function withProgram(name: string, script: string): Promise<Record<string, string>> {
  const bin = join(user.home, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), script);
  await chmod(join(bin, name), 0o755);
  return { PATH: `${bin}:${process.env["PATH"] ?? "/usr/bin:/bin"}` };
}

test("login shows a code, opens its page, and stores the key once the person has approved; logout revokes it", async () => {
  const team = await makeTeam(world.http, "Acme");
  await world.http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'developer')", [
    team.id,
    adaId,
  ]);
  const opened = join(user.home, "opened");
  const path = await withProgram(
    "xdg-open",
    `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
  );
  const terminal = openSvcTerminal(user, ["login", world.url, "--team", "Acme"], { ...path, DISPLAY: ":0" });
  const code = await codeOn(terminal);
  expect(terminal.screen()).toContain("Open http://127.0.0.1/device and enter the code:");
  const page = await eventually(
    () => readFile(opened, "utf8").catch(() => ""),
    (text) => text !== "",
    { what: "the browser is opened" },
  );
  expect(page).toBe(`http://127.0.0.1/device?user_code=${code}`);

  expect((await ada.get(`/auth/device?user_code=${code}`)).json["team"]).toBe(team.id);
  expect((await ada.post("/auth/device/approve", { user_code: code })).status).toBe(200);
  await terminal.sees(`Logged in to ${world.url}`);
  expect(await terminal.ended).toBe(0);
  expect((await stat(credentials())).mode & 0o777).toBe(0o600);
  const stored = JSON.parse(await readFile(credentials(), "utf8")) as { keys: Record<string, string> };
  const key = stored.keys[world.url]!;
  expect(key).toMatch(/^svc_/);
  expect(terminal.screen()).not.toContain(key);

  const who = await user.svc(["whoami"]);
  expect([who.status, who.stdout]).toEqual([0, `ada@example.com at ${world.url}\ndeveloper of the team Acme\n`]);
  const [asJson] = (await user.svc(["whoami", "--json"])).events;
  expect(asJson).toMatchObject({ url: world.url, user: { email: "ada@example.com" }, teams: [{ id: team.id }] });
  const teams = await user.svc(["teams"]);
  expect([teams.status, teams.stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^NAME +ROLE +TIER +ID\nAcme +developer +team +${team.id}\n$`)),
  ]);
  expect(JSON.parse((await user.svc(["teams", "--json"])).stdout)).toMatchObject([{ id: team.id, role: "developer" }]);

  const logout = await user.svc(["logout"]);
  expect([logout.status, logout.stdout]).toEqual([0, expect.stringContaining("It is revoked")]);
  expect(await readFile(credentials(), "utf8")).not.toContain(key);
  expect((await user.svc(["whoami"], { env: { SVC_URL: world.url, SVC_API_KEY: key } })).status).toBe(3);
});

test("over SSH login opens no browser, and Ctrl-C ends it without a trace", async () => {
  const opened = join(user.home, "opened-remotely");
  const path = await withProgram("xdg-open", `#!/bin/sh\ntouch "${opened}"\n`);
  const env = { ...path, DISPLAY: ":0", SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" };
  const terminal = openSvcTerminal(user, ["login", world.url], env);
  const code = await codeOn(terminal);
  expect(terminal.screen()).toContain(`Or open http://127.0.0.1/device?user_code=${code}`);
  terminal.type(CTRL_C);
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).toContain("The login was left");
  await expect(stat(opened)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readFile(credentials(), "utf8")).not.toContain("svc_");
});

test("a login that the person denies ends with 3, and says so", async () => {
  const terminal = openSvcTerminal(user, ["login", world.url], {});
  const code = await codeOn(terminal);
  expect((await ada.post("/auth/device/deny", { user_code: code })).status).toBe(204);
  expect(await terminal.ended).toBe(3);
  expect(terminal.screen()).toContain("The request was denied. `svc login` begins again.");
});

test("a service without the device flow is logged in to with a key", async () => {
  const server = createServer((_request, response) => void response.writeHead(404).end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const terminal = openSvcTerminal(user, ["login", `http://127.0.0.1:${port}`], {});
  expect(await terminal.ended).toBe(1);
  expect(terminal.screen()).toContain("has no login by browser. Use --key, or set SVC_API_KEY.");
  server.close();
});

test("a given key needs no browser, and leaves no team to choose", async () => {
  const { key } = await world.http.addCaller();
  const given = await user.svc(["login", world.url, "--key", key]);
  expect([given.status, given.stderr]).toEqual([0, ""]);
  const piped = await user.svc(["login", world.url, "--team", "Acme"], { stdin: key });
  expect([piped.status, piped.stderr]).toEqual([2, expect.stringContaining("--team is for the login in the browser")]);
});

test("logout forgets the key of a service that is away, and says that it stays valid", async () => {
  const { key } = await world.http.addCaller();
  const away = "http://127.0.0.1:9";
  await writeFile(credentials(), JSON.stringify({ current: away, keys: { [away]: key } }));
  const outcome = await user.svc(["logout"]);
  expect([outcome.status, outcome.stdout]).toEqual([0, expect.stringContaining("It could not be revoked")]);
  expect(outcome.stderr).toContain("could not be reached");
  expect(await readFile(credentials(), "utf8")).not.toContain(key);
});
