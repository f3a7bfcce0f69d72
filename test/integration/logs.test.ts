import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startTestApi, type Caller, type TestApi } from "../support/http.ts";
import { addLiveRelease, ScriptedApps } from "../support/scripted-apps.ts";

const TIME = "2026-01-31T12:00:00.123Z";

let http: TestApi;
let ada: Caller;
let serverId: string;
let agent: ScriptedApps;
let count = 0;
let name: string;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
  serverId = await http.addServer("server-1");
});
afterAll(() => http?.stop());

beforeEach(async () => {
  agent = new ScriptedApps();
  http.links.clients.set(serverId, agent.client());
  http.links.linked.add(serverId);
  name = `app-${++count}`;
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
});

const live = (env: Record<string, string> = {}) =>
  addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, { name, userId: ada.userId, serverId, env });
const read = (query = "") => ada.call("GET", `/api/apps/${name}/logs${query}`);

describe("a log", () => {
  test("has the last lines with their times, 100 unless asked otherwise", async () => {
    await live();
    agent.log = Array.from({ length: 600 }, (_, i) => `line ${i}`);
    const { status, json } = await read();
    expect([status, json["app"]]).toEqual([200, name]);
    const lines = (json["logs"] as string).split("\n");
    expect(lines).toHaveLength(100);
    expect([lines[0], lines.at(-1)]).toEqual([`${TIME} line 500`, `${TIME} line 599`]);
    expect(((await read("?lines=1")).json["logs"] as string).split("\n")).toHaveLength(1);
    expect(((await read("?lines=500")).json["logs"] as string).split("\n")).toHaveLength(500);
  });

  test.each(["?lines=0", "?lines=501", "?lines=x", "?lines=1.5", "?lines=", "?follow=2", "?tail=1"])(
    "refuses %s",
    async (query) => {
      await live();
      expect(await read(query)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    },
  );

  test("hides what is configured, what the running release was started with, and keys; never a time or a port", async () => {
    await live({ PORT: "3000", SVC_APP: name, OLD: "rotated-since", YEAR: "2026" });
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { TOKEN: "s3cr3t value", SHORT: "12" } });
    agent.log = [
      "listening on 3000",
      "token=s3cr3t value, in a URL s3cr3t%20value",
      "old rotated-since",
      `key ${ada.key}`,
      "year 2026, code 12, part 123",
    ];
    expect((await read()).json["logs"]).toBe(
      [
        "listening on 3000",
        "token=[REDACTED], in a URL [REDACTED]",
        "old [REDACTED]",
        "key [REDACTED]",
        "year [REDACTED], code [REDACTED], part 123",
      ]
        .map((line) => `${TIME} ${line}`)
        .join("\n"),
    );
  });

  test("hides what the deploy that runs began with, though it was changed right after", async () => {
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { TOKEN: "former-secret", GONE: "deleted-secret" } });
    expect((await ada.call("POST", `/api/apps/${name}/deploy`)).json["status"]).toBe("running");
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { TOKEN: "latest-secret" } });
    await ada.call("DELETE", `/api/apps/${name}/env/GONE`);
    agent.log = ["former-secret", "latest-secret", "deleted-secret"];
    const { json } = await read();
    expect(json["logs"]).toBe(Array(3).fill(`${TIME} [REDACTED]`).join("\n"));
    await http.database.query("update deploys set status = 'failed', finished_at = now() where status = 'running'");
  });

  test("of an app that was never deployed is refused, and one whose agent is away says so", async () => {
    expect(await read()).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    await live();
    http.links.linked.delete(serverId);
    expect(await read()).toMatchObject({ status: 503, json: { error: "agent_away" } });
    expect(await read("?follow=1")).toMatchObject({ status: 503, json: { error: "agent_away" } });
  });

  test("says so when another process has the agent, and when to ask again", async () => {
    await live();
    http.links.linked.delete(serverId);
    const askBoth = async () => [await read(), await read("?follow=1")];
    for (const { headers, json } of await askBoth()) {
      expect([headers.get("Retry-After"), json["detail"]]).toEqual(["5", expect.stringContaining("is not connected;")]);
    }
    await http.database.query("update servers set link_until = now() + interval '1 minute' where id = $1", [serverId]);
    for (const { headers, json } of await askBoth()) {
      expect([headers.get("Retry-After"), json["detail"]]).toEqual(["5", expect.stringContaining("another process")]);
    }
    await http.database.query("update servers set link_until = null where id = $1", [serverId]);
  });

  test("needs the scope logs:read, and is not found by another owner", async () => {
    const scoped = await http.addCaller({ userId: ada.userId, scopes: ["apps:read"] });
    expect((await scoped.call("GET", `/api/apps/${name}/logs`)).status).toBe(403);
    const bob = await http.addCaller();
    expect((await bob.call("GET", `/api/apps/${name}/logs`)).status).toBe(404);
  });

  test("that is followed goes on, hides secrets, beats while it is silent, and lets the agent go when the client leaves", async () => {
    await live();
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { TOKEN: "s3cr3t value" } });
    agent.log = ["before"];
    const response = await http.api.request(`/api/apps/${name}/logs?follow=1`, {
      headers: { Authorization: `Bearer ${ada.key}` },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe(
      `event: log\ndata: ${JSON.stringify({ lines: [`${TIME} before`], dropped: 0 })}\n\n`,
    );
    const next = reader.read();
    await eventually(
      () => agent.followers.size,
      (size) => size === 1,
      { what: "the agent is followed" },
    );
    agent.write("after s3cr3t value");
    expect((await next).value).toContain("after [REDACTED]");
    expect((await reader.read()).value).toBe(": still here\n\n");
    await reader.cancel();
    await eventually(
      () => agent.followers.size,
      (size) => size === 0,
      { what: "the agent is left" },
    );
  });
});
