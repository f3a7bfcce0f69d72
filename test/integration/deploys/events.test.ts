import { afterAll, beforeAll, expect, test } from "vitest";
import { insertEvents } from "@svc/control-plane/deploys/events/deploy-events.store.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
let ada: Caller;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

let count = 0;

async function startDeploy(): Promise<string> {
  const name = `stream-${++count}`;
  await http.addServer(name);
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/a.git" });
  const { rows } = await http.database.query("select id from servers where name = $1", [name]);
  await http.database.query("update apps set server_id = $1 where name = $2", [rows[0]!["id"], name]);
  return String((await ada.call("POST", `/api/apps/${name}/deploy`)).json["deploy_id"]);
}

function append(deployId: string, ...lines: string[]): Promise<void> {
  return http.database.db.transaction().execute((tx) =>
    insertEvents(
      tx,
      deployId,
      lines.map((line) => ({ kind: "log" as const, stepOrder: 2, payload: { lines: [line], dropped: 0 } })),
    ),
  );
}

async function finish(deployId: string): Promise<void> {
  await http.database.db.transaction().execute(async (tx) => {
    await tx
      .updateTable("deploys")
      .set({ status: "success", finished_at: new Date() })
      .where("id", "=", deployId)
      .execute();
    await insertEvents(tx, deployId, [{ kind: "deploy", payload: { status: "success" } }]);
  });
}

interface ServerSentEvent {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

/** Reads a stream event by event. */
class Reader {
  /** Comments and fields without an event. */
  readonly noise: string[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    this.#reader = response.body!.getReader();
  }

  /** Is undefined at the end of the stream. */
  async next(): Promise<ServerSentEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end < 0) {
        const { done, value } = await this.#reader.read();
        if (done) return undefined;
        this.#text += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const block = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const match = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block);
      if (match)
        return { id: Number(match[1]), event: match[2]!, data: JSON.parse(match[3]!) as Record<string, unknown> };
      this.noise.push(block);
    }
  }

  async rest(): Promise<ServerSentEvent[]> {
    const events: ServerSentEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

async function follow(deployId: string, lastEventId?: string | number, key = ada.key): Promise<Reader> {
  const response = await request(deployId, lastEventId, key);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/event-stream");
  expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  return new Reader(response);
}

async function request(deployId: string, lastEventId?: string | number, key = ada.key): Promise<Response> {
  return http.api.request(`/api/deploys/${deployId}/events`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { "Last-Event-ID": String(lastEventId) }),
    },
  });
}

test("a follower sees what was before, what comes, and the end", async () => {
  const id = await startDeploy();
  await append(id, "before");
  const reader = await follow(id);
  expect(await reader.next()).toMatchObject({
    id: 1,
    event: "log",
    data: { lines: ["before"], dropped: 0, step_name: "clone_build", step_order: 2 },
  });
  const next = reader.next();
  await append(id, "after");
  expect(await next).toMatchObject({ id: 2, data: { lines: ["after"] } });
  await finish(id);
  expect(await reader.rest()).toMatchObject([{ id: 3, event: "deploy", data: { status: "success" } }]);
});

test("a long log arrives whole and in order, however slowly it is read, and is resumed by number", async () => {
  const id = await startDeploy();
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`);
  await append(id, ...lines);
  await finish(id);
  expect((await (await follow(id)).rest()).map((event) => event.id)).toEqual(
    Array.from({ length: 101 }, (_, i) => i + 1),
  );
  const resumed = await (await follow(id, 60)).rest();
  expect(resumed.map((event) => event.id)).toEqual(Array.from({ length: 41 }, (_, i) => i + 61));
});

test.each([
  ["is revoked", "update api_keys set revoked_at = now() where id = $1"],
  ["has other rights", "update api_keys set scopes = '{apps:read}' where id = $1"],
  ["is limited to other apps", "update api_keys set apps = '{other}' where id = $1"],
  ["expires", "update api_keys set expires_at = now() where id = $1"],
])("a stream ends when the key that asked for it %s, and those of other keys go on", async (_what, statement) => {
  const id = await startDeploy();
  const other = await http.addCaller({ userId: ada.userId });
  const reader = await follow(id);
  const ending = await follow(id, 0, other.key);
  await append(id, "one");
  for (const each of [reader, ending]) expect(await each.next()).toMatchObject({ data: { lines: ["one"] } });
  const next = ending.next();
  await http.database.query(statement, [other.keyId]);
  expect(await next).toBeUndefined();
  await append(id, "two");
  expect(await reader.next()).toMatchObject({ data: { lines: ["two"] } });
  await finish(id);
  expect(await reader.rest()).toHaveLength(1);
});

test("a stream ends when its key comes to its end", async () => {
  const id = await startDeploy();
  const other = await http.addCaller({ userId: ada.userId });
  await http.database.query("update api_keys set expires_at = now() + interval '5 s' where id = $1", [other.keyId]);
  const reader = await follow(id, 0, other.key);
  expect(await reader.next()).toBeUndefined();
});

test("a follower that has seen the end is told not to come back", async () => {
  const id = await startDeploy();
  await finish(id);
  expect((await request(id, 1)).status).toBe(204);
  expect((await request(id, "x")).status).toBe(400);
});

test("a silent stream shows that it lives", async () => {
  const id = await startDeploy();
  const reader = await follow(id);
  const next = reader.next();
  await expect.poll(() => reader.noise, { timeout: 5_000 }).toContain("event: still_here\ndata: {}");
  await finish(id);
  expect(await next).toMatchObject({ event: "deploy" });
});

test("an event whose notification was lost arrives with the slow look", async () => {
  const id = await startDeploy();
  const reader = await follow(id);
  const next = reader.next();
  await http.database.query(
    `insert into deploy_events (deploy_id, number, kind, payload) values ($1, 1, 'progress', '{"message": "quiet"}')`,
    [id],
  );
  expect(await next).toMatchObject({ id: 1, event: "progress", data: { message: "quiet" } });
  await reader.cancel();
});

test("followers survive the loss of the connection for notifications", async () => {
  const id = await startDeploy();
  const told: (string | undefined)[] = [];
  const unsubscribe = http.notifications.subscribe("deploy_events", (payload) => told.push(payload));
  await http.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-notifications' and datname = current_database()",
  );
  await expect.poll(() => told, { timeout: 5_000 }).toContain(undefined);
  const reader = await follow(id);
  await finish(id);
  expect(await reader.rest()).toHaveLength(1);
  await expect.poll(() => told, { timeout: 5_000 }).toContain(id);
  unsubscribe();
});

test("a stopping process ends its streams", async () => {
  const reader = await follow(await startDeploy());
  const rest = reader.rest();
  http.closing.abort();
  expect(await rest).toEqual([]);
});
