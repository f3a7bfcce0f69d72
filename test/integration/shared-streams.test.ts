import type { KyselyPlugin } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertEvents } from "@svc/control-plane/db/deploy-events.ts";
import { listen, type ApiListener } from "@svc/control-plane/http/listener.ts";
import { STREAMS_OF_APP_MAX, STREAMS_OF_USER_MAX } from "@svc/control-plane/http/stream-places.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { eventually } from "../support/eventually.ts";
import { startTestApi, type Caller, type TestApi } from "../support/http.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { addLiveRelease, ScriptedApps } from "../support/scripted-apps.ts";

let database: TestDatabase;
let http: TestApi;
let listener: ApiListener;
let ada: Caller;
let serverId: string;
let agent: ScriptedApps;
let count = 0;
let name: string;
let queries = 0;

const countQueries: KyselyPlugin = {
  transformQuery({ node }) {
    queries += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
};

beforeAll(async () => {
  database = await createTestDatabase();
  http = await startTestApi({ database: { ...database, db: database.db.withPlugin(countQueries) }, unchecked: true });
  listener = await listen(http.api, { address: { host: "127.0.0.1", port: 0 }, tls: undefined, log: silentLogger });
  serverId = await http.addServer("server-1");
});
afterAll(async () => {
  await http?.stop();
  await listener?.close();
  await database?.drop();
});

beforeEach(async () => {
  ada = await http.addCaller();
  agent = new ScriptedApps();
  http.links.clients.set(serverId, agent.client());
  name = await addApp(ada);
});

async function addApp(caller: Caller): Promise<string> {
  const added = `app-${++count}`;
  await caller.call("POST", "/api/apps", { name: added, repo_url: "https://git.example.test/team/app.git" });
  await addLiveRelease({ db: database.db, keyRing: http.keyRing }, { name: added, userId: caller.userId, serverId });
  return added;
}

/** One follower over a connection of its own. */
class Follower {
  readonly status: number;
  readonly headers: Headers;
  text = "";
  hasEnded = false;
  readonly #leave: AbortController;

  static async open(path: string, caller = ada, headers: Record<string, string> = {}): Promise<Follower> {
    const leave = new AbortController();
    const response = await fetch(`http://127.0.0.1:${listener.address.port}${path}`, {
      headers: { Authorization: `Bearer ${caller.key}`, ...headers },
      signal: leave.signal,
    });
    return new Follower(response, leave);
  }

  private constructor(response: Response, leave: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#leave = leave;
    void this.#read(response).catch(() => (this.hasEnded = true));
  }

  async #read(response: Response): Promise<void> {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) this.text += text;
    this.hasEnded = true;
  }

  leave(): void {
    this.#leave.abort();
  }

  until(wanted: string): Promise<unknown> {
    return eventually(
      () => this.text,
      (text) => text.includes(wanted),
      { what: `the follower sees ${wanted}` },
    );
  }
}

const logs = (of = name, query = "") => `/api/apps/${of}/logs?follow=1${query}`;
const openMany = (n: number, path: string, caller = ada) =>
  Promise.all(Array.from({ length: n }, () => Follower.open(path, caller)));
const leaveAll = (followers: readonly Follower[]): void => followers.forEach((each) => each.leave());

async function startDeploy(): Promise<string> {
  const { rows } = await database.query("select id from deploys where app_id = (select id from apps where name = $1)", [
    name,
  ]);
  const id = String(rows[0]!["id"]);
  await database.query("alter table deploys disable trigger deploys_next_status");
  await database.query("update deploys set status = 'running', finished_at = null, server_id = null where id = $1", [
    id,
  ]);
  await database.query("alter table deploys enable trigger deploys_next_status");
  return id;
}

const append = (deployId: string, ...lines: string[]) =>
  database.db.transaction().execute((tx) =>
    insertEvents(
      tx,
      deployId,
      lines.map((line) => ({ kind: "log" as const, stepOrder: 2, payload: { lines: [line], dropped: 0 } })),
    ),
  );

describe("places for streams", () => {
  test("an app has so many, a refusal says when to come back, and one that is left is free at once", async () => {
    const held = await openMany(STREAMS_OF_APP_MAX, logs());
    expect(held.map(({ status }) => status)).toEqual(Array(STREAMS_OF_APP_MAX).fill(200));
    const refused = await Follower.open(logs());
    await refused.until("too_many_streams");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "10"]);
    expect(refused.text).toContain(`${STREAMS_OF_APP_MAX} streams of this app's logs and deploys are open: close one`);
    held[0]!.leave();
    const next = await eventually(
      () => Follower.open(logs()),
      ({ status }) => status === 200,
      { what: "a place is free", deadlineMs: 2_000 },
    );
    leaveAll([...held, next]);
    await eventually(
      () => agent.followers.size,
      (size) => size === 0,
      { what: "the agent is left" },
    );
  });

  test("a user has so many, whichever keys and apps they are of, and others are let in", async () => {
    const other = await http.addCaller({ userId: ada.userId });
    const names = [name, await addApp(ada), await addApp(ada)];
    const each = Math.floor(STREAMS_OF_USER_MAX / 3);
    const held = (await Promise.all(names.map((of) => openMany(each, logs(of), other)))).flat();
    while (held.length < STREAMS_OF_USER_MAX) held.push(await Follower.open(logs(names[held.length % 3]), ada));
    expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await Follower.open(logs(names[0]))).status).toBe(429);
    const bob = await http.addCaller();
    const bobs = await Follower.open(logs(await addApp(bob)), bob);
    expect(bobs.status).toBe(200);
    leaveAll([...held, bobs]);
    await eventually(
      () => agent.followers.size,
      (size) => size === 0,
      { what: "the agent is left" },
    );
  });

  test("a stream that ends by itself, or with its key, leaves its place", async () => {
    const other = await http.addCaller({ userId: ada.userId });
    const held = await openMany(STREAMS_OF_APP_MAX, logs(), other);
    await database.query("update api_keys set revoked_at = now() where id = $1", [other.keyId]);
    await eventually(() => held.every(({ hasEnded }) => hasEnded), Boolean, { what: "the streams end with their key" });
    const again = await openMany(STREAMS_OF_APP_MAX, logs());
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    leaveAll(again);
    await eventually(
      () => agent.followers.size,
      (size) => size === 0,
      { what: "the agent is left" },
    );
  });
});

describe("followers of one log", () => {
  test("share one stream of the agent, and each gets the last lines that it asked for", async () => {
    agent.log = Array.from({ length: 600 }, (_, i) => `old ${i}.`);
    const few = await Follower.open(logs(name, "&lines=1"));
    await few.until("old 599.");
    const more = await Promise.all([2, 100, 500].map((lines) => Follower.open(logs(name, `&lines=${lines}`))));
    for (const each of more) await each.until("old 599.");
    agent.write("new one");
    for (const each of [few, ...more]) await each.until("new one");
    expect(agent.followers.size).toBe(1);
    const linesOf = ({ text }: Follower) => [...text.matchAll(/Z (old|new)/g)].length;
    expect([few, ...more].map(linesOf)).toEqual([2, 3, 101, 501]);
    leaveAll([few, ...more]);
    await eventually(
      () => agent.followers.size,
      (size) => size === 0,
      { what: "the agent is left" },
    );
  });

  test("get all lines when they keep up, and one that does not read is told how many it missed", async () => {
    const response = await http.api.request(logs(), { headers: { Authorization: `Bearer ${ada.key}` } });
    const slow = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    agent.log = ["begin"];
    const fast = await Follower.open(logs());
    await fast.until("begin");
    expect((await slow.read()).value).toContain("begin");
    const lines = Array.from({ length: 6_000 }, (_, i) => `line ${i}.`);
    for (const line of lines) agent.write(line);
    await fast.until("line 5999.");
    expect([...fast.text.matchAll(/line \d+\./g)].map(([line]) => line)).toEqual(lines);
    expect(fast.text).not.toMatch(/"dropped":[1-9]/);
    let seen = 0;
    let dropped = 0;
    for (let text = ""; !text.includes("line 5999.");) {
      text = (await slow.read()).value ?? "";
      for (const [, data] of text.matchAll(/^data: (.*)$/gm)) {
        const batch = JSON.parse(data!) as { lines: string[]; dropped: number };
        seen += batch.lines.length;
        dropped += batch.dropped;
      }
    }
    expect(dropped).toBeGreaterThan(3_000);
    expect(seen + dropped).toBe(6_000);
    fast.leave();
    await slow.cancel();
  });

  test("who comes after a variable was changed sees neither its former value nor its new one", async () => {
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { TOKEN: "former-secret" } });
    agent.log = ["begin"];
    const first = await Follower.open(logs());
    await first.until("begin");
    agent.write("says latest-secret and former-secret");
    await first.until("latest-secret and [REDACTED]");
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { TOKEN: "latest-secret" } });
    const second = await Follower.open(logs());
    await second.until("says [REDACTED] and [REDACTED]");
    agent.write("again former-secret latest-secret");
    for (const each of [first, second]) await each.until("again [REDACTED] [REDACTED]");
    expect(second.text).not.toMatch(/former-secret|latest-secret/);
    leaveAll([first, second]);
  });

  test("are told of the end of the container, and who comes then begins anew", async () => {
    const [first, second] = await openMany(2, logs());
    await eventually(
      () => agent.followers.size,
      (size) => size === 1,
      { what: "the agent is followed" },
    );
    agent.end();
    for (const each of [first!, second!]) await each.until("event: end");
    const third = await Follower.open(logs());
    await eventually(
      () => agent.followers.size,
      (size) => size === 1,
      { what: "the agent is followed again" },
    );
    expect(third.hasEnded).toBe(false);
    third.leave();
  });
});

describe("followers of one deploy", () => {
  test("ask the database once for what all of them get", async () => {
    const id = await startDeploy();
    const followers = await openMany(STREAMS_OF_APP_MAX, `/api/deploys/${id}/events`);
    await append(id, "first");
    for (const each of followers) await each.until("first");
    await eventually(
      async () => {
        const before = queries;
        await new Promise((resolve) => setImmediate(resolve));
        return queries - before;
      },
      (more) => more === 0,
      { what: "nobody asks" },
    );
    const before = queries;
    for (let i = 0; i < 10; i++) {
      await append(id, `line ${i}.`);
      for (const each of followers) await each.until(`line ${i}.`);
    }
    // Of each event: its page, and that nothing comes after it; and some slow looks. The insertion itself is not counted.
    expect(queries - before).toBeLessThan(10 * 8);
    leaveAll(followers);
  });

  test("each begin where their Last-Event-ID says, and all see the same from then on", async () => {
    const id = await startDeploy();
    await append(id, ...Array.from({ length: 100 }, (_, i) => `line ${i + 1}.`));
    const path = `/api/deploys/${id}/events`;
    const followers = await Promise.all(
      [0, 40, 99].map((last) => Follower.open(path, ada, { "Last-Event-ID": String(last) })),
    );
    await append(id, "line 101.");
    for (const each of followers) await each.until("line 101.");
    expect(followers.map(({ text }) => [...text.matchAll(/^id: (\d+)/gm)].map(([, number]) => Number(number)))).toEqual(
      [0, 40, 99].map((last) => Array.from({ length: 101 - last }, (_, i) => last + 1 + i)),
    );
    leaveAll(followers);
  });
});

test("a stopping process ends every stream", async () => {
  const id = await startDeploy();
  const followers = [...(await openMany(5, logs())), ...(await openMany(5, `/api/deploys/${id}/events`))];
  await eventually(
    () => agent.followers.size,
    (size) => size === 1,
    { what: "the agent is followed" },
  );
  http.closing.abort();
  await eventually(() => followers.every(({ hasEnded }) => hasEnded), Boolean, { what: "all streams end" });
  await eventually(
    () => agent.followers.size,
    (size) => size === 0,
    { what: "the agent is left" },
  );
  expect(agent.followers.size).toBe(0);
});
