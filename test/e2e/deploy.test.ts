import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dockerfileApp, nodeApp, program, sample } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import type { Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { promise } from "../support/promises/promise.ts";

const run = promisify(execFile);
let setup: PlatformWithGit;
let platform: Platform;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
});
afterAll(() => setup?.stop());

describe("a first deploy and a change", () => {
  it("serves an Express app with dependencies and a lock file over HTTPS, certificate verified", async () => {
    promise("service", "a deployed app is served over HTTPS at its name below the apps' domain");
    const repository = await setup.createApp("express", sample("express"));
    const first = await platform.deploy("express");
    expect(first.deploy).toMatchObject({
      status: "success",
      release: "v1",
      commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(first.steps.map((step) => [step.step_name, step.status])).toEqual([
      ["provision_db", "skipped"],
      ["clone_build", "success"],
      ["deploy_container", "success"],
      ["proxy_route", "success"],
    ]);
    expect(first.steps[1]!.output).toMatch(/express/);
    const before = await platform.fetchApp("express");
    expect(before.status).toBe(200);
    const source = readFileSync(new URL("../../deploy/quickstart/samples/express/index.js", import.meta.url), "utf8");
    await repository.commit({
      "index.js": source.replace(
        /app\.listen/,
        'app.get("/changed", (_req, res) => res.send("new line"));\napp.listen',
      ),
    });
    const second = await platform.deploy("express");
    expect(second.deploy).toMatchObject({ status: "success", release: "v2" });
    expect(await platform.fetchApp("express", "/changed")).toMatchObject({ status: 200, body: "new line" });
  });

  it("serves a static site", async () => {
    await setup.createApp("static-site", sample("static"));
    expect((await platform.deploy("static-site")).deploy.status).toBe("success");
    const page = await platform.fetchApp("static-site");
    expect(page.status).toBe(200);
    expect(page.body).toContain("<html");
  });

  it("builds a repository's own Dockerfile", async () => {
    await setup.createApp("own-dockerfile", sample("dockerfile"));
    expect((await platform.deploy("own-dockerfile")).deploy.status).toBe("success");
    expect((await platform.fetchApp("own-dockerfile")).status).toBe(200);
  });

  it("runs an image that starts as root, takes a low port, and becomes another user by itself", async () => {
    await setup.createApp("own-user", {
      ...program(`
        const fs = require("node:fs");
        fs.mkdirSync("/var/cache/shop");
        fs.chownSync("/var/cache/shop", 1000, 1000);
        require("node:http")
          .createServer((request, response) => {
            fs.writeFileSync("/var/cache/shop/last", request.url);
            response.end("user " + process.getuid());
          })
          .listen(80, () => {
            process.setgroups([]);
            process.setgid(1000);
            process.setuid(1000);
          });
      `),
      ...dockerfileApp(["COPY . .", "EXPOSE 80", 'CMD ["node", "server.js"]']),
    });
    const { deploy } = await platform.deploy("own-user");
    expect(deploy.error).toBeUndefined();
    expect((await platform.fetchApp("own-user")).body).toBe("user 1000");
  });

  it("provisions a database that outlives a deploy", async () => {
    promise("apps", "an app that needs a database has one of its own, whose name is shown");
    await setup.createApp("hello", sample("hello"), { needs_database: true });
    const first = await platform.deploy("hello");
    expect(first.deploy.error).toBeUndefined();
    expect(first.steps[0]).toMatchObject({ step_name: "provision_db", status: "success" });
    const one = JSON.parse((await platform.fetchApp("hello", "/api/visits")).body) as { visits: number };
    expect((await platform.deploy("hello")).deploy.status).toBe("success");
    const two = JSON.parse((await platform.fetchApp("hello", "/api/visits")).body) as { visits: number };
    expect(two.visits).toBeGreaterThan(one.visits);
  });
});

describe("the environment", () => {
  const canary = "canary-7f3a9c51d2";
  const values = {
    QUOTES: `it's "quoted" \`ticks\``,
    DOLLARS: "$HOME ${HOME} $(id) %PATH%",
    LINES: "one\ntwo\r\n\ttabbed\n",
    UNICODE: "naïve ☃ 🚀 \u202e",
    SPACES: "  around  ",
    HASH: "#=&;|<>!*?[]{}~\\",
    EMPTY: "",
    CANARY: canary,
  };

  it("arrives byte for byte, and no secret stays in image, history, events or logs", async () => {
    promise("variables", "a variable reaches the container when the app is deployed");
    await setup.createApp("env", nodeApp("return JSON.stringify(process.env)"));
    const put = await platform.api("PUT", "/api/apps/env/env", { env: values });
    expect(put).toMatchObject({ status: 200, body: { updated: Object.keys(values).length } });
    const { deploy, steps } = await platform.deploy("env");
    expect(deploy.status).toBe("success");
    const inside = JSON.parse((await platform.fetchApp("env")).body) as Record<string, string>;
    for (const [key, value] of Object.entries(values)) expect(inside[key]).toBe(value);
    expect(inside).toMatchObject({
      SVC_APP: "env",
      SVC_RELEASE: "v1",
      SVC_COMMIT_SHA: deploy.commit_sha,
      PORT: "3000",
    });

    const { rows } = await platform.database.query("select payload::text from deploy_events where deploy_id = $1", [
      deploy.id,
    ]);
    const { stdout: images } = await run("docker", [
      "images",
      "--quiet",
      "--no-trunc",
      "--filter",
      `label=svc.deploy=${deploy.id}`,
    ]);
    const image = images.trim().split("\n")[0]!;
    const history = await run("docker", ["history", "--no-trunc", image]);
    const inspected = await run("docker", ["image", "inspect", image]);
    const layers = await run("sh", ["-c", 'docker save "$0" | grep -a -c -F "$1" || true', image, canary], {
      maxBuffer: 1 << 20,
    });
    expect(layers.stdout.trim()).toBe("0");
    const logs = [platform.controlPlane.log, platform.agent.log].map((path) => readFileSync(path, "utf8"));
    const everything = JSON.stringify([rows, steps, history.stdout, inspected.stdout, logs]);
    expect(everything).not.toContain(canary);
  });
});

describe("two apps on one server", () => {
  it("queues the second deploy, which then runs by itself", async () => {
    promise("queue", "a second app's deploy waits its turn and runs by itself");
    const slow = nodeApp();
    await setup.createApp("slow", {
      ...slow,
      "package.json": slow["package.json"]!.toString().replace('"scripts":{', '"scripts":{"build":"sleep 3",'),
    });
    await setup.createApp("waits", nodeApp('return "served after a wait"'));
    const started = await platform.api("POST", "/api/apps/slow/deploy", {});
    expect(started).toMatchObject({ status: 202, body: { status: "running", deploy_id: expect.any(String) } });
    const again = await platform.api("POST", "/api/apps/slow/deploy", {});
    expect(again).toMatchObject({ status: 409, body: { error: "deploy_in_progress" } });
    const queued = await platform.api("POST", "/api/apps/waits/deploy", {});
    expect({ status: queued.status, body: queued.body }).toEqual({ status: 202, body: { status: "queued" } });
    expect((await platform.api("GET", "/api/apps/waits/deploys")).body).toEqual({ deploys: [] });
    const list = await eventually(
      async () => (await platform.api("GET", "/api/apps/waits/deploys")).body as { deploys: { id: string }[] },
      ({ deploys }) => deploys.length === 1,
      { what: "the queued deploy has started", deadlineMs: 60_000 },
    );
    expect((await platform.deployEnd(list.deploys[0]!.id)).deploy.status).toBe("success");
    expect((await platform.fetchApp("waits")).body).toBe("served after a wait");
  });
});

describe("live events", () => {
  it("tell every step and line once, and go on after Last-Event-ID", async () => {
    const { body } = await platform.api("POST", "/api/apps/waits/deploy", {});
    const { deploy_id: id } = body as { deploy_id: string };
    const all = await readEvents(id);
    expect(all.at(-1)).toMatchObject({ event: "deploy", data: { status: "success" } });
    expect(all.map((one) => one.id)).toEqual(all.map((_, i) => i + 1));
    const steps = all.filter((one) => one.event === "step").map((one) => [one.data["step_name"], one.data["status"]]);
    expect(steps).toEqual([
      // Only a look at the commit tells that no database is needed.
      ["provision_db", "running"],
      ["provision_db", "skipped"],
      ["clone_build", "running"],
      ["clone_build", "success"],
      ["deploy_container", "running"],
      ["deploy_container", "success"],
      ["proxy_route", "running"],
      ["proxy_route", "success"],
    ]);
    expect(await readEvents(id, 3)).toEqual(all.slice(3));
  });
});

interface LiveEvent {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

async function readEvents(deployId: string, after?: number): Promise<LiveEvent[]> {
  const response = await fetch(`${platform.baseUrl}/api/deploys/${deployId}/events`, {
    headers: {
      authorization: `Bearer ${platform.key}`,
      ...(after === undefined ? {} : { "last-event-id": String(after) }),
    },
    signal: AbortSignal.timeout(60_000),
  });
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const blocks = (await response.text()).split("\n\n").filter((block) => block.includes("data:"));
  return blocks.map((block) => {
    const field = (name: string): string => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)![1]!;
    return {
      id: Number(field("id")),
      event: field("event"),
      data: JSON.parse(field("data")) as Record<string, unknown>,
    };
  });
}
