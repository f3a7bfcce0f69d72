import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, replyOf, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
let ada: Caller;
let bob: Caller;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
  bob = await http.addCaller();
});
afterAll(() => http?.stop());

const repo_url = "https://git.example.test/team/app.git";

describe("an app", () => {
  test("is created with its URL and appears in its owner's list alone", async () => {
    promise(
      "apps",
      "an app has the subdomain of its name",
      "an app shows the repository that it is deployed from",
      "a created app is answered with 201 and its URL",
      "an owner's apps are listed, each with its URL",
    );
    const created = await ada.call("POST", "/api/apps", { name: "hello", repo_url, framework: "express" });
    expect(created.status).toBe(201);
    expect(created.json["app"]).toMatchObject({
      name: "hello",
      subdomain: "hello",
      status: "deploying",
      git_repo: repo_url,
      database_name: null,
      framework: "express",
      port: 3000,
      url: "https://hello.apps.localhost:8443",
      needs_database: false,
      deploy_on_push: false,
      root: null,
      server: null,
      current_release: null,
      last_deployed_at: null,
      last_deploy: null,
      has_deploy_key: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect((await ada.call("GET", "/api/apps")).json).toEqual({ apps: [created.json["app"]] });
    expect((await ada.call("GET", "/api/apps/hello")).json).toEqual({ app: created.json["app"] });
    expect((await bob.call("GET", "/api/apps")).json).toEqual({ apps: [] });
    expect((await bob.call("GET", "/api/apps/hello")).status).toBe(404);
  });

  test.each([
    [{}, /name is missing/],
    [{ name: "x" }, /repo_url/],
    [{ name: "x", repo_url, template: "t" }, /not both/],
    [{ name: "-x", repo_url }, /"-x"/],
    [{ name: "www", repo_url }, /reserved/],
    [{ name: "x", repo_url: "http://a.test/x" }, /https/],
    [{ name: "x", repo_url: "https://user:secret@a.test/x" }, /credentials/],
    [{ name: "x".repeat(64), repo_url }, /63/],
    [{ name: "Shop", repo_url }, /"Shop"/],
    [{ name: "x", repo_url, port: 0 }, /port 0/],
    [{ name: "x", repo_url, port: 65536 }, /port 65536/],
    [{ name: "x", repo_url, port: "80" }, /port must be/],
    [{ name: "x", repo_url, port: 1.5 }, /port/],
    [{ name: "x", repo_url, framework: "cobol" }, /nextjs/],
    [{ name: "x", repo_url, root: "../x" }, /root "\.\.\/x".*relative path without/],
    [{ name: "x", repo_url, root: "" }, /root ""/],
    [{ name: "x", template: "t", root: "a" }, /template decides root/],
    [{ name: "x", repo_url, colour: "red" }, /"colour"/],
    ["[]", /object/],
    ["{", /not JSON/],
    ['{"__proto__": 1}', /__proto__/],
  ])("is refused with the reason: %j", async (body, reason) => {
    promise(
      "apps",
      "an app's name is a lowercase label",
      "an app's port is between 1 and 65535",
      "an app comes either from a repository or from a template",
      "a repository's address is HTTPS and holds no credentials",
      "an app with a wrong name, address, port or template is refused with 400",
    );
    const reply = await ada.call("POST", "/api/apps", body);
    expect(reply.status).toBe(400);
    expect(reply.json["error"]).toBe("invalid_request");
    expect(reply.json["detail"]).toMatch(reason);
    expect(reply.text).not.toContain("secret");
  });

  test("may be built from a folder of its repository, until it is given another one or the top", async () => {
    const created = await ada.call("POST", "/api/apps", { name: "rooted", repo_url, root: "./apps/web/" });
    expect(created.json["app"]).toMatchObject({ root: "apps/web" });
    const patch = async (root: unknown) => ada.call("PATCH", "/api/apps/rooted", { root });
    expect((await patch("apps/api")).json["app"]).toMatchObject({ root: "apps/api" });
    for (const wrong of ["/etc", "a/../b", "a\u0000b", ".git", null, "x".repeat(256)]) {
      expect((await patch(wrong)).status).toBe(400);
    }
    expect((await patch(".")).json["app"]).toMatchObject({ root: null });
  });

  test("gives its framework and its port back to what is recognised", async () => {
    await ada.call("POST", "/api/apps", { name: "given", repo_url, framework: "flask", port: 4000 });
    const patch = async (body: unknown) => (await ada.call("PATCH", "/api/apps/given", body)).json["app"];
    expect(await patch({ port: null })).toMatchObject({ framework: "flask", port: 8000 });
    expect(await patch({ framework: null })).toMatchObject({ framework: null, port: null });
    await http.database.query("update apps set detected_framework = 'hono', detected_port = 3000 where name = 'given'");
    expect(await patch({ framework: "django" })).toMatchObject({ framework: "django" });
    expect(await patch({ framework: null })).toMatchObject({ framework: "hono", port: 3000 });
  });

  test("is given caps of its own within its tier, and loses them again", async () => {
    await ada.call("POST", "/api/apps", { name: "capped", repo_url });
    const patch = (body: unknown) => ada.call("PATCH", "/api/apps/capped", body);
    const caps = async () => {
      const { memory, cpus } = (await ada.call("GET", "/api/apps/capped")).json["app"] as Record<string, unknown>;
      return { memory, cpus };
    };
    expect(await caps()).toEqual({ memory: null, cpus: null });
    expect((await patch({ memory: "1g", cpus: "0.50" })).json["app"]).toMatchObject({ memory: "1024m", cpus: "0.5" });
    const refused: [body: object, sentence: RegExp][] = [
      [{ memory: "2049m" }, /property memory is "2049m".*from 16m to your tier's 2048m/],
      [{ memory: "15m" }, /from 16m/],
      [{ memory: "512" }, /such as "512m"/],
      [{ memory: 512 }, /memory/],
      [{ memory: "" }, /memory/],
      [{ cpus: "4.001" }, /property cpus is "4.001".*from 0.01 to your tier's 4\./],
      [{ cpus: "0" }, /from 0.01/],
      [{ cpus: "-1" }, /such as "0.5"/],
      [{ memory: "512m", cpus: "a\u0000b" }, /cpus/],
    ];
    for (const [body, sentence] of refused) {
      const { status, json } = await patch(body);
      expect([status, json["error"], json["detail"]]).toEqual([
        400,
        "invalid_request",
        expect.stringMatching(sentence),
      ]);
    }
    expect((await bob.call("PATCH", "/api/apps/capped", { memory: "512m" })).status).toBe(404);
    expect(await caps()).toEqual({ memory: "1024m", cpus: "0.5" });
    await patch({ memory: null });
    expect(await caps()).toEqual({ memory: null, cpus: "0.5" });
  });

  test("has a name of its own on the whole platform", async () => {
    promise("apps", "a name that is taken is refused with 409, which tells a stopped app of one's own apart");
    await ada.call("POST", "/api/apps", { name: "mine", repo_url });
    const reply = await bob.call("POST", "/api/apps", { name: "mine", repo_url });
    expect([reply.status, reply.json["error"]]).toEqual([409, "name_taken"]);
    await http.database.query("update apps set status = 'soft_stopped' where name = 'mine'");
    const own = await ada.call("POST", "/api/apps", { name: "mine", repo_url });
    expect([own.status, own.json["error"]]).toEqual([409, "name_in_use_by_stopped_app"]);
    expect((await bob.call("POST", "/api/apps", { name: "mine", repo_url })).json["error"]).toBe("name_taken");
  });

  test("counts towards its owner's tier, also when many are created at once", async () => {
    promise("apps", "an owner who has as many apps as the tier allows is refused another with 403");
    const free = await http.addCaller({ tier: "free" });
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => free.call("POST", "/api/apps", { name: `free-${i}`, repo_url })),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    const refusals = replies.filter(({ status }) => status !== 201);
    expect(new Set(refusals.map(({ status, json }) => `${status} ${String(json["error"])}`))).toEqual(
      new Set(["403 app_limit"]),
    );
  });

  test("has a name of at most 63 characters", async () => {
    promise("apps", "an app's name has at most 63 characters");
    const create = (length: number) => ada.call("POST", "/api/apps", { name: "n".repeat(length), repo_url });
    expect(await create(63)).toMatchObject({ status: 201, json: { app: { name: "n".repeat(63) } } });
    expect(await create(64)).toMatchObject({ status: 400, json: { detail: expect.stringContaining("63") as string } });
  });

  test("listens on the port of its framework where none is given, and has none before its first build otherwise", async () => {
    promise("apps", "an app that was given no port has its framework's");
    const create = async (name: string, more: object) =>
      (await ada.call("POST", "/api/apps", { name, repo_url, ...more })).json["app"] as object;
    expect(await create("by-framework", { framework: "fastapi" })).toMatchObject({ framework: "fastapi", port: 8000 });
    expect(await create("by-port", { framework: "fastapi", port: 9 })).toMatchObject({ port: 9 });
    expect(await create("by-build", {})).toMatchObject({ framework: null, port: null });
  });

  test("that is deleted while it is read is not found", async () => {
    await ada.call("POST", "/api/apps", { name: "brief", repo_url });
    let reading: Promise<Reply> | undefined;
    await http.parts.db.transaction().execute(async (transaction) => {
      // The request has found the app, and waits to read what belongs to it.
      await sql`lock table releases in access exclusive mode`.execute(transaction);
      reading = ada.call("GET", "/api/apps/brief");
      await eventually(
        () => http.database.query("select 1 from pg_locks where relation = 'releases'::regclass and not granted"),
        ({ rows }) => rows.length > 0,
        { what: "the request waits" },
      );
      await sql`delete from apps where name = 'brief'`.execute(transaction);
    });
    expect(await reading).toMatchObject({ status: 404, json: { error: "not_found" } });
  });

  test("of one's own has no key, domain, webhook or deploy key that was not made", async () => {
    promise("errors", "an app, variable, domain or webhook that is not there is answered with 404");
    await ada.call("POST", "/api/apps", { name: "bare", repo_url: "https://github.com/you/bare" });
    for (const [method, path] of [
      ["DELETE", "env/MISSING"],
      ["GET", "domains/missing.example.com"],
      ["DELETE", "domains/missing.example.com"],
      ["DELETE", "webhooks/01890000-0000-7000-8000-000000000000"],
      ["GET", "deploy-key"],
      ["DELETE", "deploy-key"],
    ] as const) {
      const { status, json } = await ada.call(method, `/api/apps/bare/${path}`);
      expect([path, status, json["error"]]).toEqual([path, 404, "not_found"]);
    }
  });

  test("gets at most what its owner's tier says, which the owner can read", async () => {
    const tierOf = async (tier: string) => (await (await http.addCaller({ tier })).call("GET", "/api/tier")).json;
    expect(await tierOf("free")).toEqual({ tier: { name: "free", apps: 3, memory: "512m", cpus: "1" } });
    expect(await tierOf("team")).toEqual({ tier: { name: "team", apps: 250, memory: "2048m", cpus: "4" } });
  });

  test("list comes in pages on request", async () => {
    const owner = await http.addCaller();
    for (const name of ["page-a", "page-b", "page-c"]) await owner.call("POST", "/api/apps", { name, repo_url });
    const namesOf = (reply: { json: Record<string, unknown> }) =>
      (reply.json["apps"] as { name: string }[]).map((app) => app.name);
    const first = await owner.call("GET", "/api/apps?limit=2");
    expect(namesOf(first)).toEqual(["page-a", "page-b"]);
    const second = await owner.call("GET", `/api/apps?limit=2&cursor=${String(first.json["next_cursor"])}`);
    expect(namesOf(second)).toEqual(["page-c"]);
    expect(second.json).not.toHaveProperty("next_cursor");
    for (const query of ["limit=0", "limit=x", "limit=1&limit=2", "cursor=x", "colour=red"]) {
      expect((await owner.call("GET", `/api/apps?${query}`)).status).toBe(400);
    }
  });
});

describe("variables", () => {
  test("come back byte for byte, and unlisted ones stay", async () => {
    promise(
      "variables",
      "variables are read back as they were given",
      "setting variables makes or replaces those that are listed, and keeps the others",
      "setting variables tells how many were set, with a note",
      "a variable is removed with 204, and one that is not there with 404",
    );
    await ada.call("POST", "/api/apps", { name: "vars", repo_url });
    // Computed, it is a key as any other.
    const env = { A: "line\nline", B: `$ ' " # \\ = é 😀 `, C: "", ["__proto__"]: "text" };
    const put = await ada.call("PUT", "/api/apps/vars/env", { env });
    expect(put.status).toBe(200);
    expect(put.json).toEqual({ updated: 4, note: expect.any(String) as string });
    await ada.call("PUT", "/api/apps/vars/env", { env: { A: "2" } });
    const got = await ada.call("GET", "/api/apps/vars/env");
    expect(Object.entries(got.json["env"] as object).toSorted()).toEqual(Object.entries({ ...env, A: "2" }).toSorted());
    const reads = await http.database.query("select owner_id from audit_log where action = 'env.read'");
    expect(reads.rows).toEqual([{ owner_id: ada.userId }]);
    expect((await ada.call("DELETE", "/api/apps/vars/env/A")).status).toBe(204);
    expect((await ada.call("DELETE", "/api/apps/vars/env/A")).status).toBe(404);
    const { rows } = await http.database.query("select value from env_vars");
    for (const { value } of rows) expect((value as Buffer).includes("line")).toBe(false);
  });

  test("leave one entry an hour of each who reads them, whatever else was noted", async () => {
    const app = await ada.call("POST", "/api/apps", { name: "read-often", repo_url });
    const target = `app:${String((app.json["app"] as { id: string }).id)}`;
    const { query } = http.database;
    const bob = await http.addCaller({ userId: ada.userId });
    const readOften = async () => {
      for (let read = 0; read < 3; read += 1)
        for (const { call } of [ada, bob]) expect((await call("GET", "/api/apps/read-often/env")).status).toBe(200);
    };
    const entries = async () =>
      (await query("select actor from audit_log where action = 'env.read' and target = $1 order by actor", [target]))
        .rows;
    const keys = [ada, bob].map(({ keyId }) => ({ actor: `key:${keyId}` }));
    await readOften();
    expect(await entries()).toEqual(keys.toSorted((one, other) => (one.actor < other.actor ? -1 : 1)));
    await query("update audit_log set at = now() - interval '61 minutes' where target = $1 and actor = $2", [
      target,
      `key:${bob.keyId}`,
    ]);
    await readOften();
    expect((await entries()).length).toBe(3);
  });

  test("with a public prefix have 64 KiB in all, since each build is told them", async () => {
    await ada.call("POST", "/api/apps", { name: "public-vars", repo_url });
    const put = (env: Record<string, string>) => ada.call("PUT", "/api/apps/public-vars/env", { env });
    const full = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`VITE_${i}`, "x".repeat(8192)]));
    expect((await put(full)).status).toBe(200);
    const refused = await put({ NEXT_PUBLIC_A: "y" });
    expect([refused.status, refused.json["error"]]).toEqual([400, "env_limit"]);
    expect(refused.json["detail"]).toContain("65537 bytes in all; at most 65536");
    expect((await put({ SECRET: "y".repeat(8192) })).status).toBe(200);
    expect((await put({ NEXT_PUBLIC_A: "y", VITE_0: "" })).status).toBe(200);
  });

  test.each([
    [{ OK: "1", "1X": "2" }, "env_limit", /1X/],
    [{ OK: "1", BIG: "é".repeat(4097) }, "env_limit", /BIG/],
    [{ OK: "1", NUL: "a\0b" }, "env_limit", /NUL/],
    [{ OK: "1", HALF: "\ud800" }, "env_limit", /HALF/],
    [{ OK: "1", PORT: "2" }, "reserved_env_key", /PORT/],
    [{ OK: "1", SVC_APP: "2" }, "reserved_env_key", /SVC_APP/],
    [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`K${i}`, "x"])), "env_limit", /64/],
  ])("beyond a limit are refused and nothing is applied", async (env, error, key) => {
    promise("variables", "a variable's name has letters, digits and underscores, and begins with no digit");
    await ada.call("POST", "/api/apps", { name: "limits", repo_url });
    const reply = await ada.call("PUT", "/api/apps/limits/env", { env });
    expect([reply.status, reply.json["error"]]).toEqual([400, error]);
    expect(reply.json["detail"]).toMatch(key);
    expect((await ada.call("GET", "/api/apps/limits/env")).json).toEqual({ env: {} });
  });

  test("of 8,192 bytes and 64 of them are accepted", async () => {
    promise("variables", "an app has up to 64 variables", "a variable's value has up to 8 KB");
    await ada.call("POST", "/api/apps", { name: "full", repo_url });
    const env = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`K${i}`, "é".repeat(4096)]));
    expect((await ada.call("PUT", "/api/apps/full/env", { env })).status).toBe(200);
    expect((await ada.call("PUT", "/api/apps/full/env", { env: { ONE_MORE: "" } })).status).toBe(400);
  });
});

describe("a request", () => {
  test("with no valid key is unauthorized, and never told why", async () => {
    const revoked = await http.addCaller();
    await http.database.query("update api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
    const expired = await http.addCaller();
    await http.database.query("update api_keys set expires_at = now() where id = $1", [expired.keyId]);
    const headers = [undefined, "Basic x", "Bearer", "Bearer svc_x", `Bearer ${revoked.key}`, `Bearer ${expired.key}`];
    for (const authorization of headers) {
      const response = await http.api.request("/api/apps", authorization ? { headers: { authorization } } : {});
      expect([response.status, await response.text()]).toEqual([401, '{"error":"unauthorized"}']);
      expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
      expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test("is limited to the key's scopes and apps", async () => {
    for (const name of ["scoped", "other"]) await ada.call("POST", "/api/apps", { name, repo_url });
    const key = await http.addCaller({ userId: ada.userId, scopes: ["env:read", "apps:read"], apps: ["scoped"] });
    expect((await key.call("GET", "/api/apps/scoped/env")).status).toBe(200);
    // Before the body is looked at.
    const writer = await http.addCaller({ userId: ada.userId, scopes: ["apps:write"], apps: ["scoped"] });
    const refused = await writer.call("POST", "/api/apps", { name: "No Name", repo_url: "nowhere" });
    expect([refused.status, refused.json["error"]]).toEqual([403, "insufficient_scope"]);
    for (const [method, path] of [
      ["PUT", "/api/apps/scoped/env"],
      ["GET", "/api/apps/other/env"],
    ] as const) {
      const reply = await key.call(method, path);
      expect([reply.status, reply.json["error"]]).toEqual([403, "insufficient_scope"]);
    }
    expect((await key.call("GET", "/api/apps/nobodys/env")).status).toBe(404);
    expect((await key.call("GET", "/api/apps")).json["apps"]).toMatchObject([{ name: "scoped" }]);
  });

  test("that changes something needs a verified address, and is told so before anything else", async () => {
    const unverified = await http.addCaller({ verified: false });
    const reply = await unverified.call("POST", "/api/apps", "{");
    expect([reply.status, reply.json["error"]]).toEqual([403, "email_not_verified"]);
    expect((await unverified.call("GET", "/api/apps")).status).toBe(200);
  });

  test("for another owner's app is answered as for one that does not exist, before its body is looked at", async () => {
    await ada.call("POST", "/api/apps", { name: "private", repo_url });
    for (const [method, path] of [
      ["GET", "env"],
      ["PUT", "env"],
      ["DELETE", "env/A"],
      ["POST", "deploy"],
      ["GET", "deploys"],
    ] as const) {
      const body = method === "PUT" || method === "POST" ? "{" : undefined;
      const foreign = await bob.call(method, `/api/apps/private/${path}`, body);
      const unknown = await bob.call(method, `/api/apps/unknown/${path}`, body);
      expect([method, path, foreign.status]).toEqual([method, path, 404]);
      // Only the name that was asked for differs.
      expect(foreign.text.replace("private", "unknown")).toBe(unknown.text);
    }
  });

  test("with another type, a huge body, an unknown path or method is refused by name", async () => {
    const type = await ada.call("POST", "/api/apps", "name=x", { "Content-Type": "application/x-www-form-urlencoded" });
    expect([type.status, type.json["error"]]).toEqual([415, "unsupported_media_type"]);
    const huge = await ada.call("POST", "/api/apps", JSON.stringify({ name: "x".repeat(1024 * 1024) }));
    expect([huge.status, huge.json["error"]]).toEqual([413, "payload_too_large"]);
    const path = await ada.call("GET", "/api/nothing");
    expect([path.status, path.json["error"]]).toEqual([404, "not_found"]);
    const method = await ada.call("DELETE", "/api/apps");
    expect([method.status, method.headers.get("Allow")]).toEqual([405, "POST, GET, HEAD"]);
    expect(
      (await http.api.request("/api/apps", { method: "HEAD", headers: { authorization: `Bearer ${ada.key}` } })).status,
    ).toBe(200);
  });

  test("without a content type is read as JSON", async () => {
    const response = await http.api.request("/api/apps", {
      method: "POST",
      headers: { authorization: `Bearer ${ada.key}` },
      body: Buffer.from(JSON.stringify({ name: "untyped", repo_url })),
    });
    expect((await replyOf(response)).status).toBe(201);
  });

  test("that meets a bug of ours tells only its id", async () => {
    await http.database.query("alter table env_vars rename to hidden");
    const reply = await ada.call("GET", "/api/apps/hello/env");
    await http.database.query("alter table hidden rename to env_vars");
    expect(reply.status).toBe(500);
    expect(reply.json).toEqual({ error: "internal", request_id: reply.headers.get("X-Request-Id") });
  });
});

test("probes answer without a key, and metrics are no page of the API", async () => {
  expect((await http.api.request("/healthz")).status).toBe(200);
  expect((await http.api.request("/readyz")).status).toBe(200);
  expect((await http.api.request("/metrics")).status).toBe(404);
  const metrics = await http.metrics.text();
  expect(metrics).toMatch(/svc_http_requests_total\{method="POST",route="\/api\/apps",status="201"\} \d+/);
  expect(metrics).toContain("svc_deploy_queue_length 0");
  expect(metrics).toContain("svc_webhook_deliveries_waiting 0");
});

test("every change leaves an audit row with its request", async () => {
  const { headers } = await ada.call("POST", "/api/apps", { name: "audited", repo_url });
  const { rows } = await http.database.query("select actor, action from audit_log where request_id = $1", [
    headers.get("X-Request-Id"),
  ]);
  expect(rows).toEqual([{ actor: `key:${ada.keyId}`, action: "app.create" }]);
});
