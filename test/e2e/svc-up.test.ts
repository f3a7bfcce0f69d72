import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { makeSvcUser, type SvcOutcome, type SvcUser } from "../support/svc/svc.ts";
import { promise } from "../support/promises/promise.ts";

const run = promisify(execFile);
const CANARY = "canary-7c1f0e-value-of-a-secret";

const SPEC = `# spec: svc/v1
name: shop
start: node server.js
port: 4000
env:
  - GREETING
  - TOKEN
`;
const SERVER = (word: string) => `
require("node:http")
  .createServer((_, res) => res.end([${JSON.stringify(word)}, process.env.GREETING, process.env.TOKEN.length].join(" ")))
  .listen(process.env.PORT);
console.log("hello from " + ${JSON.stringify(word)});
`;
const FILES = { "svc.yaml": SPEC, "package.json": '{"name": "shop", "scripts": {"start": "node server.js"}}' };

let world: PlatformWithGit;
let user: SvcUser;

beforeAll(async () => {
  world = await startPlatformWithGit();
  const { baseUrl, key } = world.platform;
  user = await makeSvcUser({ SVC_URL: baseUrl, SVC_API_KEY: key });
});
afterAll(async () => {
  await user?.remove();
  await world?.stop();
});

const git = async (...argv: string[]): Promise<string> => {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.test"];
  const { stdout } = await run("git", [...identity, ...argv], {
    cwd: user.folder,
    env: { PATH: process.env["PATH"], HOME: user.home },
  });
  return stdout.trim();
};
/** In the only repository of the platform's git host. */
const pushedFiles = async (): Promise<string[]> => {
  const root = join(world.platform.directory, "control-plane/repositories");
  const [name] = await readdir(root);
  const { stdout } = await run("git", ["--git-dir", join(root, name!), "ls-tree", "-r", "--name-only", "main"]);
  return stdout.trim().split("\n");
};
const page = async (name = "shop") => (await world.platform.fetchApp(name)).body;
const deploys = async (name = "remote-shop"): Promise<{ id: string }[]> =>
  ((await world.platform.api("GET", `/api/apps/${name}/deploys`)).body as { deploys: { id: string }[] }).deploys;
const url = (name = "shop") => `https://${name}.apps.localhost:${world.platform.httpsPort}`;

/** Everything that the tool wrote, anywhere, must be without them. */
function expectNoSecrets({ stdout, stderr }: SvcOutcome): void {
  for (const secret of [world.platform.key, Buffer.from(`svc:${world.platform.key}`).toString("base64"), CANARY]) {
    expect(stdout + stderr).not.toContain(secret);
  }
}

describe("svc up", () => {
  it("names every key that has no value, and creates nothing", async () => {
    await user.write({ ...FILES, "server.js": SERVER("one") });
    const refused = await user.svc(["up"]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("The app needs GREETING, TOKEN");
    expect((await world.platform.api("GET", "/api/apps")).body).toEqual({ apps: [] });
    const { rows } = await world.platform.database.query("select 1 from repositories");
    expect(rows).toEqual([]);
  });

  it("goes from a folder that is in no repository to the URL", async () => {
    promise("service", "the tool goes from a folder to the app's URL");
    await user.write({ ".env": `TOKEN="${CANARY}"\n`, ".gitignore": "ignored.txt\n", "ignored.txt": "no" });
    const outcome = await user.svc(["up"], { env: { GREETING: "hello" } });
    expect(outcome.stderr).toBe("");
    expect(outcome.status).toBe(0);
    expect(outcome.stdout).toContain("Set GREETING (environment), TOKEN (.env)");
    for (const step of ["clone_build", "deploy_container", "proxy_route"]) {
      expect(outcome.stdout).toMatch(new RegExp(String.raw`\[${step}\] success \(`));
    }
    expect(outcome.stdout.trimEnd().split("\n").at(-1)).toBe(`Live as v1: ${url()}`);
    expect(await page()).toBe(`one hello ${CANARY.length}`);
    expectNoSecrets(outcome);
    expect(await readdir(user.folder)).not.toContain(".git");
    expect(await pushedFiles()).toEqual([".gitignore", "package.json", "server.js", "svc.yaml"]);
  });

  it("deploys the folder as another app with --app, and leaves the one that the spec file names as it is", async () => {
    const outcome = await user.svc(["up", "--app", "another"], { env: { GREETING: "hello" } });
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    const { body } = await world.platform.api("GET", "/api/apps");
    const apps = (body as { apps: unknown }).apps as { name: string; current_release: string }[];
    expect(apps.map(({ name, current_release: release }) => `${name} ${release}`).toSorted()).toEqual([
      "another v1",
      "shop v1",
    ]);
    expect((await world.platform.api("DELETE", "/api/apps/another?purge=1")).status).toBe(204);
  });

  it("pushes what has changed, and says all of it as JSON lines with --json", async () => {
    promise("service", "the tool tells its progress as JSON lines where asked to");
    await user.write({ "server.js": SERVER("two") });
    const outcome = await user.svc(["up", "--json", "--release", "second"]);
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    const types = outcome.events.map(({ type }) => type);
    expect([...new Set(types)]).toEqual(["spec", "app", "env", "deploy", "step", "log", "done"]);
    for (const { time } of outcome.events) expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(outcome.events[1]).toMatchObject({ type: "app", name: "shop", created: false });
    expect(outcome.events[2]).toMatchObject({ set: [], sources: { GREETING: "app", TOKEN: "app" } });
    expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "success", url: url(), release: "second" });
    expect(await page()).toMatch(/^two hello/);
    expectNoSecrets(outcome);
  });

  it("deploys what the origin remote has, and says what is not there", async () => {
    const repository = await world.git.repository("origin-shop", {
      ...FILES,
      "svc.yaml": SPEC.replace("shop", "remote-shop"),
      "server.js": SERVER("pushed"),
    });
    await git("init", "--quiet", "--initial-branch=main");
    await git("remote", "add", "origin", repository.url);
    await git("-c", "http.sslVerify=false", "fetch", "--quiet", "origin");
    await git("reset", "--quiet", "--hard", "origin/main");
    await user.write({ "server.js": SERVER("not pushed") });
    await git("commit", "--quiet", "--all", "--message=change");
    await user.write({ "extra.txt": "not committed" });
    const before = [await git("status", "--porcelain"), await git("for-each-ref"), await git("config", "--list")];
    const outcome = await user.svc(["up"], { env: { GREETING: "hello" } });
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    expect(outcome.stdout).toMatch(/Note: The commit [0-9a-f]{7} is not pushed \(1 ahead of origin\/main\)/);
    expect(outcome.stdout).toContain("Note: Some files here are not committed");
    expect(await page("remote-shop")).toMatch(/^pushed hello/);
    const after = [await git("status", "--porcelain"), await git("for-each-ref"), await git("config", "--list")];
    expect(after).toEqual(before);
  });

  it("deploys the folder as it is with --local, and touches neither index nor branches nor configuration", async () => {
    await user.write({ "server.js": SERVER("uncommitted") });
    const before = [await git("status", "--porcelain"), await git("for-each-ref"), await git("config", "--list")];
    const objects = await git("count-objects", "-v");
    const seen: string[] = [];
    const outcome = await user.svc(["up", "--local"], {
      onStart(child) {
        const timer = setInterval(() => void commandLinesOf(child.pid!).then((lines) => seen.push(...lines)), 10);
        child.once("close", () => clearInterval(timer));
      },
    });
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    expect(outcome.stdout).toContain(`Note: The app deployed from ${world.git.urlOf("origin-shop")} so far`);
    expect(await page("remote-shop")).toMatch(/^uncommitted hello/);
    const after = [await git("status", "--porcelain"), await git("for-each-ref"), await git("config", "--list")];
    expect(after).toEqual(before);
    expect(await git("count-objects", "-v")).toBe(objects);
    expect(await readFile(join(user.folder, ".git/config"), "utf8")).not.toContain("svc_");
    // The command lines of all its processes, git's included, are those that any user of the machine could see.
    expect(seen.some((line) => line.includes("git"))).toBe(true);
    for (const secret of [world.platform.key, "Basic "])
      expect(seen.filter((line) => line.includes(secret))).toEqual([]);
    expectNoSecrets(outcome);
  });

  it("ends with 1 when the deploy fails, with the reason, and what was live serves on", async () => {
    await user.write({ "server.js": "process.exit(3);\n" });
    const outcome = await user.svc(["up", "--local", "--json"]);
    expect(outcome.status).toBe(1);
    expect(outcome.events.at(-2)).toMatchObject({ type: "error", code: "deploy_failed", exit: 1 });
    expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "failed", url: url("remote-shop") });
    expect(await page("remote-shop")).toMatch(/^uncommitted hello/);
  });

  it("leaves with --detach once the deploy has begun", async () => {
    await user.write({ "server.js": SERVER("three") });
    const outcome = await user.svc(["up", "--local", "--detach", "--json"]);
    expect(outcome.status).toBe(0);
    const done = outcome.events.at(-1);
    expect(done).toMatchObject({ type: "done", status: "running" });
    await world.platform.deployEnd(String(done?.["deploy_id"]));
    expect(await page("remote-shop")).toMatch(/^three hello/);
  });

  it("follows the deploy that its push makes, with the variables that are set now", async () => {
    const patched = await world.platform.api("PATCH", "/api/apps/remote-shop", { deploy_on_push: true });
    expect(patched.status).toBe(200);
    const before = await deploys();
    await user.write({
      "svc.yaml": `${SPEC.replace("shop", "remote-shop")}  - ADDED\n`,
      "server.js": SERVER("four").replace("process.env.GREETING", "process.env.ADDED"),
    });
    const outcome = await user.svc(["up", "--local", "--json"], { env: { ADDED: "in-time" } });
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    expect(await page("remote-shop")).toMatch(/^four in-time/);
    const [newest, ...others] = await deploys();
    expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "success", deploy_id: newest?.id });
    expect(others.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it("leaves the port to the spec file of the commit, which may change it", async () => {
    const { rows } = await world.platform.database.query("select distinct framework, port from apps");
    expect(rows).toEqual([{ framework: null, port: null }]);
  });
});

describe("the commands around it", () => {
  it("show, list and roll back what up has made", async () => {
    const status = await user.svc(["status"]);
    expect(status.stdout).toMatch(/^remote-shop: running/);
    const releases = await user.svc(["releases"]);
    expect(releases.stdout).toMatch(/\*/);
    const back = await user.svc(["rollback"]);
    expect([back.status, back.stderr]).toEqual([0, ""]);
    expect(await page("remote-shop")).toMatch(/^three hello/);
    const logs = await user.svc(["logs", "-n", "10"]);
    expect(logs.stdout).toContain("from three");
    expect((await user.svc(["apps"])).stdout).toMatch(/^NAME +STATUS/);
    expect((await user.svc(["open"])).stdout).toBe(`${url("remote-shop")}\n`);
  });

  it("show the requests that the app got, and as they come", async () => {
    await page("remote-shop");
    const access = await user.svc(["logs", "--access", "-n", "5"]);
    expect([access.status, access.stdout]).toEqual([0, expect.stringContaining("GET / ")]);
    const followed = await user.svc(["logs", "--access", "-f"], {
      onStart: (child) => void child.stdout!.once("data", () => child.kill("SIGINT")),
    });
    expect([followed.status, followed.stdout]).toEqual([0, expect.stringContaining("GET / ")]);
  });

  it("stop, start and restart the app, and say what came of it", async () => {
    const stopped = await user.svc(["stop"]);
    expect([stopped.status, stopped.stdout]).toEqual([0, expect.stringMatching(/^remote-shop is stopped: /)]);
    expect((await user.svc(["status"])).stdout).toMatch(/^remote-shop: stopped/);
    expect((await user.svc(["start"])).stdout).toBe("remote-shop is started.\n");
    expect((await user.svc(["restart"])).stdout).toBe("remote-shop is restarted.\n");
    expect(await page("remote-shop")).toMatch(/^three hello/);
  });

  it("take an app off its server, and for good only when that is asked for and meant", async () => {
    const unsure = await user.svc(["apps", "delete", "remote-shop"]);
    expect([unsure.status, unsure.stderr]).toEqual([2, expect.stringContaining("Give --yes")]);
    const off = await user.svc(["apps", "delete", "remote-shop", "--yes"]);
    expect([off.status, off.stdout]).toEqual([0, expect.stringContaining("brings it back")]);
    expect((await user.svc(["status"])).stdout).toMatch(/^remote-shop: soft stopped/);
    const gone = await user.svc(["apps", "delete", "remote-shop", "--purge", "--yes", "--json"]);
    expect(JSON.parse(gone.stdout)).toEqual({ deleted: "remote-shop", purged: true });
    const twice = await user.svc(["apps", "delete", "remote-shop", "--yes"]);
    expect([twice.status, twice.stderr.match(/remote-shop/g)]).toEqual([1, ["remote-shop"]]);
  });
});

test("a spec file that asks for more than the tier allows is refused before anything is made", async () => {
  await user.write({
    "greedy/svc.yaml": "# spec: svc/v1\nname: greedy\nresources: {memory: 3g}\n",
    "greedy/index.html": "x",
  });
  const { status, stderr } = await user.svc(["up", "--local", "--dir", "greedy"]);
  expect(status).toBe(2);
  expect(stderr).toContain("svc.yaml asks for resources.memory of 3072m, and the owner's tier allows 2048m.");
  expect(stderr).toContain("Nothing was created or changed.");
  expect((await user.svc(["apps", "--json"])).stdout).not.toContain("greedy");
});

describe("svc up --root", () => {
  it("deploys one folder, then another, of the same repository", async () => {
    await user.write({
      "mono/svc.yaml": "# spec: svc/v1\nname: mono\n",
      "mono/apps/web/index.html": "this is the web",
      "mono/apps/api/index.html": "this is the api",
    });
    const up = (...options: string[]) => user.svc(["up", "--local", "--no-watch", "--dir", "mono", ...options]);
    for (const app of ["web", "api"]) {
      const { status, stderr, stdout } = await up("--root", `apps/${app}`);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(`Building the folder apps/${app}`);
      expect(await page("mono")).toBe(`this is the ${app}`);
    }
    expect((await up()).stdout).toContain("Building the folder apps/api");
    const top = await up("--root", ".");
    expect([top.status, top.stderr]).toEqual([1, expect.stringContaining("apps/api (static), apps/web (static)")]);
  });
});

async function commandLinesOf(parent: number): Promise<string[]> {
  const lines: string[] = [];
  const waiting = [parent];
  for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
    lines.push((await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " "));
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
    waiting.push(...children.split(" ").filter(Boolean).map(Number));
  }
  return lines;
}
