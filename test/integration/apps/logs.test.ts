import { describe, expect, test } from "vitest";
import { REPO_URL, useAppWorld } from "../../support/api/app-world.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { promise } from "../../support/promises/promise.ts";

const TIME = "2026-01-31T12:00:00.123Z";
const STILL_HERE = "event: still_here\ndata: {}\n\n";

const world = useAppWorld();

const read = (query = "") => world.ada.call("GET", `/api/apps/${world.name}/logs${query}`);

describe("a log", () => {
  test("has the last lines with their times, 100 unless asked otherwise", async () => {
    promise(
      "logs",
      "an app's log is answered with the app's name",
      "a log has its last lines with their times: 100, or as many as are asked for, from 1 to 500",
    );
    await world.live();
    world.agent.log = Array.from({ length: 600 }, (_, i) => `line ${i}`);
    const { status, json } = await read();
    expect([status, json]).toEqual([200, { app: world.name, logs: expect.any(String) as string }]);
    const lines = (json["logs"] as string).split("\n");
    expect(lines).toHaveLength(100);
    expect([lines[0], lines.at(-1)]).toEqual([`${TIME} line 500`, `${TIME} line 599`]);
    expect(((await read("?lines=1")).json["logs"] as string).split("\n")).toHaveLength(1);
    expect(((await read("?lines=500")).json["logs"] as string).split("\n")).toHaveLength(500);
  });

  test.each(["?lines=0", "?lines=501", "?lines=x", "?lines=1.5", "?lines=", "?follow=2", "?tail=1"])(
    "refuses %s",
    async (query) => {
      await world.live();
      expect(await read(query)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    },
  );

  test("hides what is configured, what the running release was started with, and keys; never a time or a port", async () => {
    promise("logs", "a log shows no variable's value and no API key");
    await world.live({ PORT: "3000", SVC_APP: world.name, OLD: "rotated-since", YEAR: "2026" });
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "s3cr3t value", SHORT: "12" } });
    world.agent.log = [
      "listening on 3000",
      "token=s3cr3t value, in a URL s3cr3t%20value",
      "old rotated-since",
      `key ${world.ada.key}`,
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
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, {
      env: { TOKEN: "former-secret", GONE: "deleted-secret" },
    });
    expect((await world.ada.call("POST", `/api/apps/${world.name}/deploy`)).json["status"]).toBe("running");
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "latest-secret" } });
    await world.ada.call("DELETE", `/api/apps/${world.name}/env/GONE`);
    world.agent.log = ["former-secret", "latest-secret", "deleted-secret"];
    const { json } = await read();
    expect(json["logs"]).toBe(Array(3).fill(`${TIME} [REDACTED]`).join("\n"));
    await world.http.database.query(
      "update deploys set status = 'failed', finished_at = now() where status = 'running'",
    );
  });

  test("of an app that was never deployed is refused, and one whose agent is away says so", async () => {
    expect(await read()).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    await world.live();
    world.http.links.linked.delete(world.serverId);
    expect(await read()).toMatchObject({ status: 503, json: { error: "agent_away" } });
    expect(await read("?follow=1")).toMatchObject({ status: 503, json: { error: "agent_away" } });
  });

  test("says so when another process has the agent, and when to ask again", async () => {
    await world.live();
    world.http.links.linked.delete(world.serverId);
    const askBoth = async () => [await read(), await read("?follow=1")];
    for (const { headers, json } of await askBoth()) {
      expect([headers.get("Retry-After"), json["detail"]]).toEqual(["5", expect.stringContaining("is not connected;")]);
    }
    await world.http.database.query("update servers set link_until = now() + interval '1 minute' where id = $1", [
      world.serverId,
    ]);
    for (const { headers, json } of await askBoth()) {
      expect([headers.get("Retry-After"), json["detail"]]).toEqual(["5", expect.stringContaining("another process")]);
    }
    await world.http.database.query("update servers set link_until = null where id = $1", [world.serverId]);
  });

  test("needs the scope logs:read, and is not found by another owner", async () => {
    const scoped = await world.http.addCaller({ userId: world.ada.userId, scopes: ["apps:read"] });
    expect((await scoped.call("GET", `/api/apps/${world.name}/logs`)).status).toBe(403);
    const bob = await world.http.addCaller();
    expect((await bob.call("GET", `/api/apps/${world.name}/logs`)).status).toBe(404);
  });

  test("that is followed goes on, hides secrets, beats while it is silent, and lets the agent go when the client leaves", async () => {
    await world.live();
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "s3cr3t value" } });
    world.agent.log = ["before"];
    const response = await world.http.api.request(`/api/apps/${world.name}/logs?follow=1`, {
      headers: { Authorization: `Bearer ${world.ada.key}` },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    /** On a busy machine a beat may come before the lines. */
    const readLines = async () => {
      for (;;) {
        const { value } = await reader.read();
        if (value !== STILL_HERE) return value;
      }
    };
    expect(await readLines()).toBe(
      `event: log\ndata: ${JSON.stringify({ lines: [`${TIME} before`], dropped: 0 })}\n\n`,
    );
    const next = readLines();
    await eventually(
      () => world.agent.followers.size,
      (size) => size === 1,
      { what: "the agent is followed" },
    );
    world.agent.write("after s3cr3t value");
    expect(await next).toContain("after [REDACTED]");
    expect((await reader.read()).value).toBe(STILL_HERE);
    await reader.cancel();
    await eventually(
      () => world.agent.followers.size,
      (size) => size === 0,
      { what: "the agent is left" },
    );
  });
});

describe("the log of a release or of a deploy", () => {
  test("is read by either, with the lines that are asked for", async () => {
    const { deployId } = await world.live();
    world.agent.formerLogs.set(deployId, ["first", "last"]).set("v1", ["of v1"]);
    expect((await read(`?deploy=${deployId}`)).json["logs"]).toBe(`${TIME} first\n${TIME} last`);
    expect((await read(`?deploy=${deployId}&lines=1`)).json["logs"]).toBe(`${TIME} last`);
    expect((await read("?release=v1")).json["logs"]).toBe(`${TIME} of v1`);
  });

  test("hides what that release was started with, also when the app has it no more, and what the app has", async () => {
    const { deployId } = await world.live({ PORT: "3000", TOKEN: "secret-of-then" });
    // Another release is live since, so that no more is known of what v1 had.
    await world.http.database.query("update apps set current_release_id = null where name = $1", [world.name]);
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "secret-of-today" } });
    const lines = ["on 3000: secret-of-then, secret-of-today"];
    world.agent.formerLogs.set(deployId, lines).set("v1", lines);
    for (const query of [`?deploy=${deployId}`, "?release=v1"]) {
      expect((await read(query)).json["logs"]).toBe(`${TIME} on 3000: [REDACTED], [REDACTED]`);
    }
  });

  test("is not found where there is none: never started, forgotten, unknown, or another app's", async () => {
    const { deployId } = await world.live();
    for (const query of [`?deploy=${deployId}`, "?release=v1", "?release=v2", `?deploy=${world.serverId}`]) {
      expect(await read(query)).toMatchObject({ status: 404, json: { error: "not_found" } });
    }
    const other = `${world.name}-other`;
    await world.ada.call("POST", "/api/apps", { name: other, repo_url: REPO_URL });
    world.agent.formerLogs.set(deployId, ["not for them"]);
    const foreign = await world.ada.call("GET", `/api/apps/${other}/logs?deploy=${deployId}`);
    expect([foreign.status, foreign.json["error"]]).toEqual([404, "not_found"]);
  });

  test.each(["?deploy=x", "?release=a%09b", "?release=v1&follow=1", "?release=v1&source=access", "?release="])(
    "refuses %s",
    async (query) => {
      await world.live();
      expect(await read(query)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    },
  );
});

describe("a search of the log", () => {
  const search = async (query: string) => {
    const { status, json } = await read(query);
    return { status, json, asked: world.agent.searches.at(-1) };
  };

  test("hands the range and the query on, redacts what is found, and says where to go on", async () => {
    await world.live();
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "s3cr3t value" } });
    world.agent.log = ["ERROR s3cr3t value", "ERROR again"];
    world.agent.searchedBackTo = new Date("2026-01-31T11:00:00.001Z");
    const times = "since=2026-01-31T10:00:00Z&until=2026-01-31T14:00:00%2B01:00";
    const { json, asked } = await search(`?${times}&query=level:error%20-probe&lines=5`);
    expect(json).toEqual({
      app: world.name,
      logs: `${TIME} ERROR [REDACTED]\n${TIME} ERROR again`,
      continue_until: "2026-01-31T11:00:00.001Z",
      since: "2026-01-31T10:00:00.000Z",
    });
    expect(asked).toMatchObject({ lines: 5, query: "level:error -probe" });
    expect(asked?.app?.ownerId).not.toBe("");
    expect([asked?.since?.seconds, asked?.until?.seconds]).toEqual([
      BigInt(Date.parse("2026-01-31T10:00:00Z") / 1000),
      BigInt(Date.parse("2026-01-31T13:00:00Z") / 1000),
    ]);
    world.agent.searchedBackTo = undefined;
    const { json: last, asked: lastAsked } = await search("?since=2h");
    expect(last["continue_until"]).toBeNull();
    expect(Math.floor(Date.parse(String(last["since"])) / 1000)).toBe(Number(lastAsked?.since?.seconds));
    expect((await search("?query=x")).json).not.toHaveProperty("since");
    expect((await search("?query=status:>=500&source=access")).status).toBe(200);
  });

  test("hands on all that is secret, of former releases too, so that the agent hides it before it looks", async () => {
    await world.live({ PORT: "3000", TOKEN: "secret-of-then" });
    await world.http.database.query("update apps set current_release_id = null where name = $1", [world.name]);
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "secret-of-today" } });
    world.agent.log = ["secret-of-then secret-of-today"];
    world.agent.searchedBackTo = undefined;
    const { json, asked } = await search("?query=path:/hook/secret-*&source=access");
    expect(asked?.secrets.toSorted()).toEqual(["secret-of-then", "secret-of-today"]);
    expect(json["logs"]).toBe(`${TIME} [REDACTED] [REDACTED]`);
  });

  test("is not asked for by a reader of the end, whose answer has no further property", async () => {
    await world.live();
    const before = world.agent.searches.length;
    expect(Object.keys((await read("?lines=1")).json)).toEqual(["app", "logs"]);
    expect(world.agent.searches).toHaveLength(before);
  });

  test.each([
    ["?since=yesterday", "such as 90s, 30m, 2h or 7d"],
    ["?until=2026-01-31T12:00:00", "a time with its zone"],
    ["?since=1h&until=2h", "give the earlier time as `since`"],
    ["?query=level:loud", "none of error, warn, info, debug"],
    ["?query=status:500", "search those"],
    ["?query=level:error&source=access", "requests have none"],
    ["?query=a%00b", "a control character"],
    [`?query=${"x".repeat(501)}`, "more than 500 characters"],
    ["?query=%22open", "a quote is not closed"],
    ["?since=1h&follow=1", "leave out `follow`"],
    ["?query=x&release=v1", "leave out `follow`, `release` and `deploy`"],
    ["?since=1h&since=2h", ""],
  ])("refuses %s and says why", async (query, why) => {
    await world.live();
    const { status, json } = await search(query);
    expect([status, json["error"]]).toEqual([400, "invalid_request"]);
    expect(json["detail"]).toContain(why);
  });

  test("is not found by another owner, and refused where the app was never deployed or too many go on", async () => {
    expect(await read("?since=1h")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    await world.live();
    const bob = await world.http.addCaller();
    expect((await bob.call("GET", `/api/apps/${world.name}/logs?since=1h`)).status).toBe(404);
    world.agent.logRefusal = "too_many_streams";
    expect(await read("?since=1h")).toMatchObject({ status: 429, json: { error: "too_many_streams" } });
    world.agent.logRefusal = undefined;
  });
});
