import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dockerfileApp, nodeApp, sample } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import type { DeployAnswer, Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { promise } from "../support/promises/promise.ts";

const run = promisify(execFile);
const SECRET = "canary-2b91c7e4a0";
/** Writes its secret, and the time, whenever it is asked. */
const TALKATIVE = 'console.log("secret " + process.env.SECRET + " at " + req.url); return "hello"';

let setup: PlatformWithGit;
let platform: Platform;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
});
afterAll(() => setup?.stop());

const act = (app: string, action: string) => platform.api("POST", `/api/apps/${app}/action`, { action });
const statusOf = async (name: string): Promise<string | undefined> => {
  const { apps } = (await platform.api("GET", "/api/apps")).body as { apps: { name: string; status: string }[] };
  return apps.find((app) => app.name === name)?.status;
};
const answer = async (name: string): Promise<number> =>
  platform.fetchApp(name).then(
    ({ status }) => status,
    () => 0,
  );
/** Ids, of those that run and of others. */
async function containersOf(name: string): Promise<string[]> {
  const argv = ["ps", "--all", "--quiet", "--filter", `label=svc.app-name=${name}`, "--filter", "label=svc.role=app"];
  const { stdout } = await run("docker", argv);
  return stdout.split("\n").filter((id) => id !== "");
}
const answers = (name: string, wanted: number) =>
  eventually(
    () => answer(name),
    (status) => status === wanted,
    { what: `${name} answers ${wanted}` },
  );

test("a stopped app answers 503 and keeps its container; started and restarted it serves; its log hides secrets", async () => {
  promise(
    "states",
    "a stopped app keeps its container and its volumes",
    "a started app comes back as it was",
    "a restarted app has its container restarted",
  );
  await setup.createApp("talk", nodeApp(TALKATIVE));
  await platform.api("PUT", "/api/apps/talk/env", { env: { SECRET } });
  expect((await act("talk", "stop")).status).toBe(409);
  expect((await platform.deploy("talk")).deploy.status).toBe("success");
  expect(await answer("talk")).toBe(200);

  expect(await act("talk", "stop")).toMatchObject({ status: 200, body: { app: "talk", action: "stop", status: "ok" } });
  await answers("talk", 503);
  expect(await statusOf("talk")).toBe("stopped");
  expect((await act("talk", "start")).status).toBe(200);
  await answers("talk", 200);
  expect((await act("talk", "restart")).status).toBe(200);
  await answers("talk", 200);
  expect(await statusOf("talk")).toBe("running");

  const { logs } = (await platform.api("GET", "/api/apps/talk/logs?lines=5")).body as { logs: string };
  expect(logs).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z secret \[REDACTED\] at \/$/m);
  expect(logs).not.toContain(SECRET);
});

test("an app whose first deploy failed answers 503 until one succeeds, and 404 once it is deleted", async () => {
  const repository = await setup.createApp("late", { ...nodeApp('return "late"'), "server.js": "process.exit(1);" });
  expect(await answer("late")).toBe(0);
  expect((await platform.deploy("late")).deploy.status).toBe("failed");
  await answers("late", 503);
  await repository.commit(nodeApp('return "late"'));
  expect((await platform.deploy("late")).deploy.status).toBe("success");
  await answers("late", 200);
  expect((await platform.api("DELETE", "/api/apps/late")).status).toBe(204);

  await setup.createApp("never", { ...nodeApp('return "never"'), "server.js": "process.exit(1);" });
  expect((await platform.deploy("never")).deploy.status).toBe("failed");
  await answers("never", 503);
  expect((await platform.api("DELETE", "/api/apps/never")).status).toBe(204);
  await answers("never", 404);
});

test("a log that is followed shows what the app writes, hides secrets, and ends with the client", async () => {
  const ended = new AbortController();
  const response = await fetch(`${platform.baseUrl}/api/apps/talk/logs?lines=1&follow=1`, {
    headers: { authorization: `Bearer ${platform.key}` },
    signal: ended.signal,
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    if (text === "") void platform.fetchApp("talk", "/followed");
    text += chunk;
    if (text.includes("at /followed")) break;
  }
  ended.abort();
  expect(text).toContain("event: log");
  expect(text).toContain("[REDACTED] at /followed");
  expect(text).not.toContain(SECRET);
});

test("a soft-stopped app is gone from its address, keeps its name, and is revived by a deploy", async () => {
  promise(
    "states",
    "an app that is deleted but not purged loses its container and its route, and keeps its name",
    "a deploy brings back an app that was deleted but not purged",
  );
  expect(await containersOf("talk")).toHaveLength(1);
  expect((await platform.api("DELETE", "/api/apps/talk")).status).toBe(204);
  await answers("talk", 404);
  await eventually(
    () => containersOf("talk"),
    (ids) => ids.length === 0,
    { what: "its container is removed" },
  );
  expect(await statusOf("talk")).toBe("soft_stopped");
  expect((await act("talk", "start")).status).toBe(409);
  const again = await platform.api("POST", "/api/apps", { name: "talk", repo_url: "https://git.example.test/x" });
  expect(again).toMatchObject({ status: 409, body: { error: "name_in_use_by_stopped_app" } });
  expect((await platform.deploy("talk")).deploy.status).toBe("success");
  await answers("talk", 200);
  expect(await statusOf("talk")).toBe("running");
});

test("a database outlives a soft stop; a purge leaves a dump, and a new app of the name starts empty", async () => {
  const visits = async (): Promise<number> =>
    (JSON.parse((await platform.fetchApp("data", "/api/visits")).body) as { visits: number }).visits;
  await setup.createApp("data", sample("hello"), { needs_database: true });
  expect((await platform.deploy("data")).deploy.error).toBeUndefined();
  const before = await visits();
  expect((await platform.api("DELETE", "/api/apps/data")).status).toBe(204);
  expect((await platform.deploy("data")).deploy.error).toBeUndefined();
  expect(await visits()).toBeGreaterThan(before);

  expect(await platform.api("DELETE", "/api/apps/data?purge=1")).toMatchObject({ status: 204 });
  await answers("data", 404);
  const dumps = join(platform.agentDataDir, "dumps");
  const files = readdirSync(dumps);
  expect(files).toHaveLength(1);
  expect(files[0]).toMatch(/^data-[0-9a-f-]{36}-\d{8}T\d{6}Z\.(dump|tar)$/);
  const { size, mode } = statSync(join(dumps, files[0]!));
  expect(size).toBeGreaterThan(1000);
  expect(mode & 0o777).toBe(0o600);

  await setup.createApp("data", sample("hello"), { needs_database: true });
  expect((await platform.deploy("data")).deploy.error).toBeUndefined();
  expect(await visits()).toBeLessThanOrEqual(before);
});

test("an app that is deleted while it deploys is canceled first, and nothing of it stays", async () => {
  await setup.createApp("slow", dockerfileApp(["RUN sleep 60", 'CMD ["node"]']));
  const { body } = await platform.api("POST", "/api/apps/slow/deploy", {});
  const { deploy_id } = body as { deploy_id: string };
  await eventually(
    async () => (await platform.api("GET", `/api/deploys/${deploy_id}`)).body as DeployAnswer,
    ({ steps }) => steps[1]?.status === "running",
    { what: "it builds" },
  );
  expect((await platform.api("DELETE", "/api/apps/slow")).status).toBe(204);
  expect((await platform.deployEnd(deploy_id)).deploy.status).toBe("canceled");
  expect(await statusOf("slow")).toBe("soft_stopped");
  expect((await platform.api("DELETE", "/api/apps/slow?purge=1")).status).toBe(204);
  expect((await platform.api("GET", `/api/deploys/${deploy_id}`)).status).toBe(404);
});

test("an app that is deleted while its agent is away is removed when it is back", async () => {
  await platform.agent.stop();
  await eventually(
    () => platform.api("GET", "/api/apps/talk/logs"),
    ({ status }) => status === 503,
    { what: "the agent is away" },
  );
  expect((await platform.api("DELETE", "/api/apps/talk?purge=1")).status).toBe(204);
  expect(await statusOf("talk")).toBeUndefined();
  expect(await answer("talk")).toBe(200);
  await platform.agent.start();
  await answers("talk", 404);
});
