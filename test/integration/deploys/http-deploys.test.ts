import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { removeServer } from "@svc/control-plane/lifecycle/remove-server.ts";
import { startTestApi, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
let ada: Caller;
let serverId: string;
let count = 0;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
  serverId = await http.addServer("server-1");
});
beforeEach(() => finishAll("success"));
afterAll(() => http?.stop());

async function addApp(caller: Caller = ada): Promise<string> {
  const name = `app-${++count}`;
  const reply = await caller.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/a.git" });
  expect(reply.status).toBe(201);
  return name;
}

const deploy = (app: string, body?: unknown, caller = ada) => caller.call("POST", `/api/apps/${app}/deploy`, body);
const idOf = (reply: Reply) => String(reply.json["deploy_id"]);
const query = (text: string, values: unknown[] = []) => http.database.query(text, values);

/** The values of all properties that are times. */
function timesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key.endsWith("_at") && typeof inner === "string" ? [inner] : timesOf(inner),
  );
}

/** The processes that wait for a lock in this database; the locks of all databases are in one view. */
const WAITING = `select 1 from pg_locks where not granted
  and pid in (select pid from pg_stat_activity where datname = current_database())`;

/** As a dispatcher ends them. */
async function finishAll(status: string): Promise<void> {
  await query("update deploys set status = 'canceled', finished_at = now() where status = 'pending'");
  await query("update deploys set status = $1, finished_at = now() where status = 'running'", [status]);
}

describe("a deploy", () => {
  test("without a name gets the next free one, whatever names users gave", async () => {
    const app = await addApp();
    for (const [release, expected] of [
      ["v2"],
      ["v3"],
      [undefined, "v4"],
      [undefined, "v5"],
      ["v6"],
      [undefined, "v7"],
    ]) {
      expect((await deploy(app, release === undefined ? {} : { release })).status).toBe(202);
      await finishAll("success");
      const { json } = await ada.call("GET", `/api/apps/${app}/deploys?limit=1`);
      expect(json["deploys"]).toMatchObject([{ release: release ?? expected }]);
    }
  });

  test("is not bound to a server that is removed while it is placed", async () => {
    const alone = await http.addServer("leaving");
    await query("update servers set state = 'draining' where id = $1", [serverId]);
    const app = await addApp();
    try {
      const removed = await http.database.db.transaction().execute(async (tx) => {
        const result = await removeServer(tx, "leaving", { force: false });
        const started = deploy(app);
        await expect.poll(async () => (await query(WAITING)).rowCount).toBeGreaterThan(0);
        return { result, started };
      });
      expect((await removed.started).json).toEqual({ status: "queued" });
      const { rows } = await query("select server_id from apps where name = $1", [app]);
      expect([removed.result.id, rows]).toEqual([alone, [{ server_id: null }]]);
    } finally {
      await query("update servers set state = 'active' where id = $1", [serverId]);
    }
  });

  test("runs at once on a free server, and waits without an id on a busy one", async () => {
    promise(
      "queue",
      "a deploy on a free server is answered with 202, running and its id",
      "a deploy on a busy server is answered as queued, without an id",
    );
    const [first, second] = [await addApp(), await addApp()];
    const running = await deploy(first);
    expect(running.status).toBe(202);
    expect(running.json).toEqual({ status: "running", deploy_id: expect.any(String) as string });
    const queued = await deploy(second);
    expect([queued.status, queued.json]).toEqual([202, { status: "queued" }]);

    const listed = (await ada.call("GET", `/api/apps/${first}/deploys`)).json["deploys"];
    expect(listed).toMatchObject([
      { id: idOf(running), status: "running", release: "v1", ref: null, commit_sha: null },
    ]);
    expect((await ada.call("GET", `/api/apps/${second}/deploys`)).json).toEqual({ deploys: [] });
    expect((await ada.call("GET", "/api/apps")).json["apps"]).toContainEqual(
      expect.objectContaining({ name: first, server: "server-1", status: "deploying" }),
    );
  });

  test("of an app that deploys or waits already is refused", async () => {
    promise("deploys", "a second deploy of an app is refused with 409 until the first has ended");
    const [first, second] = [await addApp(), await addApp()];
    for (const app of [first, second]) {
      await deploy(app);
      const again = await deploy(app);
      expect([again.status, again.json["error"]]).toEqual([409, "deploy_in_progress"]);
    }
  });

  test("is started once by twenty that ask at the same time", async () => {
    const apps = await Promise.all(Array.from({ length: 5 }, () => addApp()));
    const replies = await Promise.all(apps.flatMap((app) => Array.from({ length: 4 }, () => deploy(app))));
    expect(replies.filter(({ json }) => json["status"] === "running")).toHaveLength(1);
    expect(replies.filter(({ json }) => json["status"] === "queued")).toHaveLength(4);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(15);
  });

  test("waits while its server's agent is away, and while there is no server at all", async () => {
    const app = await addApp();
    http.links.linked.clear();
    expect((await deploy(app)).json).toEqual({ status: "queued" });
    // Another process holds the link.
    await finishAll("success");
    await query("update servers set link_until = now() + interval '1 minute'");
    expect((await deploy(app)).json["status"]).toBe("running");
    await query("update servers set link_until = null");
    http.links.linked.add(serverId);
    await finishAll("success");

    await query("update servers set state = 'draining'");
    // It takes no new apps; those that live there are deployed as before.
    expect((await deploy(app)).json["status"]).toBe("running");
    await finishAll("success");
    const homeless = await addApp();
    expect((await deploy(homeless)).json).toEqual({ status: "queued" });
    await query("update servers set state = 'active'");
    const { rows } = await query("select d.server_id from deploys d join apps a on a.id = d.app_id where name = $1", [
      homeless,
    ]);
    expect(rows).toEqual([{ server_id: null }]);
  });

  test("that was canceled while it waited never appears as one that ran", async () => {
    const [first, second] = [await addApp(), await addApp()];
    await deploy(first);
    await deploy(second);
    await finishAll("success");
    expect((await ada.call("GET", `/api/apps/${second}/deploys`)).json).toEqual({ deploys: [] });
  });

  test("is numbered by all of the app's deploys, and a release name is used once", async () => {
    promise("deploys", "a deploy's release may be given a name");
    const app = await addApp();
    for (const [release, status] of [
      [undefined, "failed"],
      ["named", "success"],
      [undefined, "success"],
    ] as const) {
      await deploy(app, release === undefined ? undefined : { release });
      await finishAll(status);
    }
    const { deploys } = (await ada.call("GET", `/api/apps/${app}/deploys`)).json as { deploys: { release: string }[] };
    expect(deploys.map(({ release }) => release)).toEqual(["v3", "named", "v1"]);
    expect((await ada.call("GET", `/api/apps/${app}/deploys?limit=1`)).json["deploys"]).toHaveLength(1);
    const reused = await deploy(app, { release: "named" });
    expect([reused.status, reused.json["error"]]).toEqual([409, "release_in_use"]);
  });

  test("may be named with any printable text, and is found by it", async () => {
    const app = await addApp();
    const release = "Früh/jahr & Co. (2nd try) 🎉".padEnd(127, "x");
    expect((await deploy(app, { release })).status).toBe(202);
    await finishAll("success");
    const { deploys } = (await ada.call("GET", `/api/apps/${app}/deploys`)).json as { deploys: { release: string }[] };
    expect(deploys.map((each) => each.release)).toEqual([release]);
    const refused = await deploy(app, { release: "a\nb" });
    expect([refused.status, refused.json["error"]]).toEqual([400, "invalid_request"]);
  });

  test("is in a list of twenty, or as many up to a hundred as are asked for, newest first", async () => {
    promise(
      "deploys",
      "a deploy tells its id, its app, its user, and when it was made and started",
      "an app's deploys are listed newest first",
      "a list of deploys has 20, or as many as are asked for, from 1 to 100",
    );
    const app = await addApp();
    const { rows } = await query("select id, owner_id from apps where name = $1", [app]);
    const { id, owner_id: owner } = rows[0] as { id: string; owner_id: string };
    await query(
      `insert into deploys (id, app_id, user_id, status, release, started_at, finished_at)
       select gen_random_uuid(), $1, $2, 'success', 'r' || n, now(), now() from generate_series(1, 101) n order by n`,
      [id, owner],
    );
    const namesOf = async (search: string) =>
      ((await ada.call("GET", `/api/apps/${app}/deploys${search}`)).json["deploys"] as { release: string }[]).map(
        ({ release }) => release,
      );
    expect(await namesOf("")).toEqual(Array.from({ length: 20 }, (_, i) => `r${101 - i}`));
    expect(await namesOf("?limit=100")).toHaveLength(100);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect((await ada.call("GET", `/api/apps/${app}/deploys?limit=1`)).json["deploys"]).toMatchObject([
      { app_id: id, user_id: owner, started_at: time, created_at: time, finished_at: time },
    ]);
    for (const limit of ["0", "101"]) {
      expect((await ada.call("GET", `/api/apps/${app}/deploys?limit=${limit}`)).status).toBe(400);
    }
  });

  test("is found in the page that the one before leads to, also when newer ones came in between", async () => {
    const app = await addApp();
    const releases = async (search: string) => {
      const { deploys, next_cursor: next } = (await ada.call("GET", `/api/apps/${app}/deploys${search}`)).json as {
        deploys: { release: string }[];
        next_cursor?: string;
      };
      return { names: deploys.map(({ release }) => release), next };
    };
    const addEnded = async () => {
      await deploy(app);
      await finishAll("success");
    };
    for (let count = 0; count < 3; count++) await addEnded();
    const first = await releases("?limit=2");
    expect(first).toEqual({ names: ["v3", "v2"], next: expect.stringMatching(/^\d+$/) });
    await addEnded();
    expect(await releases(`?limit=2&cursor=${first.next}`)).toEqual({ names: ["v1"], next: undefined });
    expect(await releases("?limit=4")).toEqual({ names: ["v4", "v3", "v2", "v1"], next: undefined });
    for (const cursor of ["", "x", "-1", "1".repeat(19)]) {
      const refused = await ada.call("GET", `/api/apps/${app}/deploys?cursor=${cursor}`);
      expect([refused.status, refused.json["error"]]).toEqual([400, "invalid_request"]);
    }
  });

  test.each([
    { ref: "--upload-pack=x" },
    { ref: "a..b" },
    { ref: "a:b" },
    { ref: "a*" },
    { ref: "a b" },
    { ref: "a\nb" },
    { ref: "" },
    { ref: "x".repeat(256) },
    { ref: 1 },
    { release: "a\tb" },
    { release: "" },
    { branch: "main" },
    [],
  ])("with an invalid request is refused: %j", async (body) => {
    const reply = await deploy(await addApp(), body);
    expect([reply.status, reply.json["error"]]).toEqual([400, "invalid_request"]);
  });

  test("needs a repository", async () => {
    promise("deploys", "a deploy of an app without a repository is refused with 422");
    const app = await addApp();
    await query("update apps set repo_url = null where name = $1", [app]);
    const reply = await deploy(app);
    expect([reply.status, reply.json["error"]]).toEqual([422, "no_repository"]);
  });

  test("takes the server with the fewest apps for a new app", async () => {
    const other = await http.addServer("server-2");
    const app = await addApp();
    await deploy(app);
    expect((await ada.call("GET", "/api/apps")).json["apps"]).toContainEqual(
      expect.objectContaining({ name: app, server: "server-2" }),
    );
    await finishAll("success");
    await query("update apps set server_id = $1", [serverId]);
    await query("update deploys set server_id = $1", [serverId]);
    await query("delete from servers where id = $1", [other]);
  });
});

describe("reading a deploy", () => {
  test("shows its four steps in order, and a running one's output so far", async () => {
    promise(
      "deploys",
      "a deploy is pending, running, or ended as success, failed or canceled",
      "a deploy is read with its four steps, numbered in their order",
      "the build's step shows the end of what the build wrote",
    );
    const id = idOf(await deploy(await addApp(), { ref: "main" }));
    await query("update deploy_steps set status = 'skipped', output = '' where deploy_id = $1 and step_order = 1", [
      id,
    ]);
    await query(
      "update deploy_steps set status = 'running', started_at = now() where deploy_id = $1 and step_order = 2",
      [id],
    );
    const line = "x".repeat(1000);
    for (let number = 1; number <= 40; number++) {
      const payload = JSON.stringify({ lines: [`${number} ${line}`, line], dropped: number === 40 ? 7 : 0 });
      await query(
        "insert into deploy_events (deploy_id, number, step_order, kind, payload) values ($1, $2, 2, 'log', $3)",
        [id, number, payload],
      );
    }
    const { json } = await ada.call("GET", `/api/deploys/${id}`);
    expect(json["deploy"]).toMatchObject({ id, user_id: ada.userId, ref: "main", status: "running" });
    expect(json["deploy"]).not.toHaveProperty("error");
    const steps = json["steps"] as { step_name: string; step_order: number; status: string; output: string }[];
    expect(steps.map(({ step_name, step_order, status }) => [step_order, step_name, status])).toEqual([
      [1, "provision_db", "skipped"],
      [2, "clone_build", "running"],
      [3, "deploy_container", "pending"],
      [4, "proxy_route", "pending"],
    ]);
    const { output } = steps[1]!;
    expect(output.length).toBeLessThanOrEqual(64 * 1024);
    expect(output.length).toBeGreaterThan(62 * 1024);
    expect(output).toMatch(/^(\d+ )?x{1000}\n/);
    expect(output).toContain("[7 lines dropped]\n40 x");
    for (const step of steps) expect(step).not.toHaveProperty("error");
  });

  test("has every time as ISO 8601 in UTC, as apps and lists have", async () => {
    promise("service", "every time is written as ISO 8601 in UTC");
    const app = await addApp();
    const id = idOf(await deploy(app));
    await query("update deploys set status = 'failed', error = 'x', finished_at = now() where id = $1", [id]);
    await query("update deploy_steps set started_at = now(), finished_at = now() where deploy_id = $1", [id]);
    const paths = [`/api/apps/${app}`, "/api/apps", `/api/apps/${app}/deploys`, `/api/deploys/${id}`];
    for (const path of paths) {
      const times = timesOf((await ada.call("GET", path)).json);
      expect(times).not.toEqual([]);
      for (const time of times) expect([path, time]).toEqual([path, new Date(time).toISOString()]);
    }
  });

  test("tells why a failed one failed", async () => {
    promise("deploys", "a failed deploy tells why", "a failed step tells why, beside its output");
    const id = idOf(await deploy(await addApp()));
    await query("update deploys set status = 'failed', error = 'It did.', finished_at = now() where id = $1", [id]);
    const failing = "update deploy_steps set status = 'failed', error = 'Why.', output = 'The last line.'";
    await query(`${failing} where deploy_id = $1 and step_order = 2`, [id]);
    const { json } = await ada.call("GET", `/api/deploys/${id}`);
    expect(json["deploy"]).toMatchObject({ status: "failed", error: "It did." });
    const [before, failed] = json["steps"] as object[];
    expect(failed).toMatchObject({ status: "failed", error: "Why.", output: "The last line." });
    expect(before).not.toHaveProperty("error");
  });

  test("is for the owner of the app, and for keys that may see it", async () => {
    const app = await addApp();
    const id = idOf(await deploy(app));
    const bob = await http.addCaller();
    for (const path of [`/api/deploys/${id}`, `/api/deploys/${id}/events`]) {
      const foreign = await bob.call("GET", path);
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe((await bob.call("GET", path.replace(id, "nonsense"))).text);
      const limited = await http.addCaller({ userId: ada.userId, apps: ["another"] });
      expect((await limited.call("GET", path)).status).toBe(403);
    }
  });
});
