import { inviteUser } from "@svc/control-plane/accounts/identity/joining/invite-user.ts";
import { PASSWORD, tokenOf } from "../support/people/person.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPlatform, type Platform } from "../support/platform/platform.ts";
import { makeSvcUser, type SvcUser } from "../support/svc/svc.ts";
import { CTRL_C, openSvcTerminal, type SvcTerminal } from "../support/svc/svc-terminal.ts";

let platform: Platform;
let user: SvcUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await makeSvcUser();
  await user.write({
    "svc.yaml": "# spec: svc/v1\nname: term\n",
    "package.json": '{"name": "term", "scripts": {"start": "node server.js"}}',
    "server.js": 'require("node:http").createServer((_, res) => res.end("hi")).listen(process.env.PORT);\n',
  });
});
afterAll(async () => {
  await user?.remove();
  await platform?.stop();
});

const open = (argv: readonly string[], env: Record<string, string> = {}): SvcTerminal =>
  openSvcTerminal(user, argv, { SVC_URL: platform.baseUrl, SVC_API_KEY: platform.key, ...env });

/** Builds for as long as it is not canceled. */
const slowBuild = (name: string) => ({
  [`${name}/svc.yaml`]: `# spec: svc/v1\nname: ${name}\n`,
  [`${name}/Dockerfile`]: "FROM node:22-slim\nRUN echo building now && sleep 600\n",
});

test("on a terminal up shows the steps with times and colours, and ends with the URL", async () => {
  const terminal = open(["up"]);
  expect(await terminal.ended).toBe(0);
  const screen = terminal.screen();
  for (const step of ["clone_build", "deploy_container", "proxy_route"]) {
    expect(screen).toMatch(new RegExp(String.raw`\u001b\[32m✓\u001b\[39m ${step} +\u001b\[2m[\d.]+ s`));
  }
  expect(screen).toMatch(new RegExp(String.raw`provision_db +\u001b\[2mskipped`));
  expect(screen).toContain(`https://term.apps.localhost:${platform.httpsPort}`);
  expect(screen).not.toContain(platform.key);
});

test("NO_COLOR is respected", async () => {
  const terminal = open(["apps"], { NO_COLOR: "1" });
  expect(await terminal.ended).toBe(0);
  const up = open(["up"], { NO_COLOR: "1" });
  expect(await up.ended).toBe(0);
  // Only what moves the cursor is left.
  expect(up.screen()).not.toMatch(new RegExp(String.raw`\u001b\[\d+m`));
});

test("Ctrl-C asks; c cancels the deploy, and up ends with 1", async () => {
  await user.write(slowBuild("slow"));
  const terminal = open(["up", "--dir", "slow"]);
  await terminal.sees("building now");
  terminal.type(CTRL_C);
  await terminal.sees("[l]eave it running, [c]ancel it");
  terminal.type("c");
  expect(await terminal.ended).toBe(1);
  expect(terminal.screen()).toContain("Canceled.");
  const { deploys } = (await platform.api("GET", "/api/apps/slow/deploys")).body as { deploys: { status: string }[] };
  expect(deploys[0]?.status).toBe("canceled");
});

test("an app that listens on another port is told with the line for svc.yaml while up waits, cut nowhere", async () => {
  await user.write({
    "other/svc.yaml": "# spec: svc/v1\nname: other\nport: 3000\n",
    "other/package.json": '{"name": "other", "scripts": {"start": "node server.js"}}',
    "other/server.js": 'require("node:http").createServer((_, res) => res.end("hi")).listen(4000);\n',
  });
  const terminal = open(["up", "--dir", "other"]);
  await terminal.sees("It listens on port 4000.");
  await terminal.sees("Put `port: 4000` into svc.yaml, or make it listen on $PORT.");
  terminal.type(CTRL_C);
  await terminal.sees("[c]ancel it");
  terminal.type("c");
  expect(await terminal.ended).toBe(1);
  expect(terminal.screen()).toContain("Canceled.");
});

test("Ctrl-C while the deploy waits for its turn offers no cancelation, which needs an id", async () => {
  await user.write({ ...slowBuild("ahead"), ...slowBuild("behind") });
  const options = ["--url", platform.baseUrl, "--key", platform.key];
  expect((await user.svc(["up", "--detach", "--dir", "ahead", ...options])).status).toBe(0);
  const terminal = open(["up", "--dir", "behind"]);
  await terminal.sees("Queued");
  terminal.type(CTRL_C);
  await terminal.sees("[l]eave it in the queue");
  terminal.type("cl");
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).not.toContain("[c]ancel");
  expect((await platform.api("DELETE", "/api/apps/behind")).status).toBe(204);
  expect((await user.svc(["cancel", "--dir", "ahead", ...options])).status).toBe(0);
});

test("a second Ctrl-C leaves, and the deploy goes on", async () => {
  await user.write(slowBuild("left"));
  const terminal = open(["up", "--dir", "left"]);
  await terminal.sees("building now");
  terminal.type(CTRL_C);
  await terminal.sees("[l]eave it running");
  terminal.type(CTRL_C);
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).toContain("svc status");
  const { deploys } = (await platform.api("GET", "/api/apps/left/deploys")).body as {
    deploys: { id: string; status: string }[];
  };
  expect(deploys[0]?.status).toBe("running");
  expect((await user.svc(["cancel", "--dir", "left", "--url", platform.baseUrl, "--key", platform.key])).status).toBe(
    0,
  );
  await platform.deployEnd(deploys[0]!.id);
});

test("an app is deleted when its name is typed, and not before", async () => {
  await platform.api("POST", "/api/apps", { name: "typed", repo_url: "https://git.example.com/app.git" });
  const wrong = open(["apps", "delete", "typed"]);
  await wrong.sees("Type the app's name to go on:");
  wrong.type("tiped\r");
  expect(await wrong.ended).toBe(2);
  expect(wrong.screen()).toContain("nothing was changed");
  const right = open(["apps", "delete", "typed", "--purge"]);
  await right.sees("are removed for good");
  right.type("typed\r");
  expect(await right.ended).toBe(0);
  expect((await platform.api("GET", "/api/apps/typed")).status).toBe(404);
});

/** As the owner does with a browser, who has a key alone until now. */
async function approve(userCode: string): Promise<void> {
  const { baseUrl, database } = platform;
  const { rows } = await database.query("select email from users order by created_at limit 1", []);
  const email = String(rows[0]!["email"]);
  const { link } = await inviteUser(database.db, { email, tier: "pro", baseUrl });
  const ask = (path: string, body: object, cookie = ""): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { Origin: baseUrl, "Content-Type": "application/json", Cookie: cookie },
      body: JSON.stringify(body),
    });
  const joined = await ask("/auth/join", { token: tokenOf(link), name: "Ada", password: PASSWORD });
  expect(joined.status).toBe(201);
  const cookie = joined.headers.getSetCookie()[0]!.split(";")[0]!;
  expect((await ask("/auth/device/approve", { user_code: userCode }, cookie)).status).toBe(200);
}

test("login asks for the address, shows a code, and stores the key once somebody has approved it", async () => {
  const terminal = openSvcTerminal(user, ["login"], {});
  await terminal.sees("Address of the service");
  terminal.type(`${platform.baseUrl}\r`);
  await terminal.sees("svc waits for your answer there");
  await approve(/[A-Z]{4}-[A-Z]{4}/.exec(terminal.screen())![0]);
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).toContain(`Logged in to ${platform.baseUrl}`);
  expect(terminal.screen()).not.toMatch(/svc_[A-Za-z0-9_-]{40}/);
  expect((await user.svc(["apps"])).status).toBe(0);
});
