import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCOPES } from "@svc/control-plane/platform/scope.ts";
import type { OpenApiDocument } from "../../support/api/described-answers.ts";
import { everyOperation, fill, type Operation } from "../../support/api/every-operation.ts";
import { startTestApi, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { Browser } from "../../support/people/person.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
/** All but those for operators. */
let operations: Operation[];
let forOperators: Operation[];
let ada: Caller;
/** The same person, with a session. */
let signedIn: Pick<Caller, "call">;
let mine: Record<string, string>;
let theirs: Record<string, string>;

beforeAll(async () => {
  http = await startTestApi();
  const document = (await (await http.api.request("/api/openapi.json")).json()) as OpenApiDocument;
  operations = everyOperation(document).filter((operation) => !operation.forOperators);
  forOperators = everyOperation(document).filter((operation) => operation.forOperators);
  ada = await http.addCaller();
  const browser = await new Browser(http).join(`${ada.userId}@example.test`);
  await http.database.query("update users set is_operator = true where id = $1", [ada.userId]);
  await http.addServer("mine");
  signedIn = {
    call: (method, path, body, headers) =>
      browser.send(
        method,
        path,
        body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body),
        headers,
      ),
  };
  mine = await createApp(ada, "mine");
  theirs = await createApp(await http.addCaller(), "theirs");
});
afterAll(() => http?.stop());

/** What paths of the caller's name. */
async function createApp(caller: Caller, name: string): Promise<Record<string, string>> {
  await caller.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}` });
  await caller.call("POST", `/api/apps/${name}/deploy`);
  const { rows } = await http.database.query(
    "select d.id from deploys d join apps a on a.id = d.app_id where a.name = $1",
    [name],
  );
  const { userId } = caller;
  return { name, id: (rows[0] as { id: string }).id, team: userId, user: userId };
}

const ask = (
  caller: Pick<Caller, "call">,
  { method, path, body }: Operation,
  values: Record<string, string>,
): Promise<Reply> => caller.call(method, fill(path, values), body?.example);
const isOfApp = ({ path }: Operation) => /^\/api\/(apps\/\{name\}|deploys\/\{id\}|teams\/\{team\})/.test(path);
/** Operations that only read have no body; where nothing is to be said, it may be empty. */
const withBody = (all: readonly Operation[]) => all.filter(({ body, changes }) => body !== undefined || changes);

/** Collects the answer of every operation under its name, so that a failure names it. */
async function answersOf(which: readonly Operation[], reply: (operation: Operation) => Promise<Reply>) {
  const answers: Record<string, unknown[]> = {};
  for (const operation of which) {
    const { status, json } = await reply(operation);
    answers[operation.operationId] = [status, json["error"]];
  }
  return answers;
}
const allOf = (which: readonly Operation[], answer: unknown[]) =>
  Object.fromEntries(which.map(({ operationId }) => [operationId, answer]));

test("the suite sees every route, and each names its scope", () => {
  expect(operations.length).toBeGreaterThanOrEqual(8);
  for (const { operationId, scope } of operations) {
    expect([operationId, [...SCOPES, "unscoped"].some((known) => known === scope)]).toEqual([operationId, true]);
  }
});

describe("on every route", () => {
  test("no key, a wrong, a revoked and an expired one are unauthorized, with the same body", async () => {
    promise("access", "every call but that for the API's description needs a valid key");
    const revoked = await http.addCaller();
    await http.database.query("update api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
    const expired = await http.addCaller();
    await http.database.query("update api_keys set expires_at = now() where id = $1", [expired.keyId]);
    const headers = ["", "Basic x", "Bearer", "Bearer svc_x", `Bearer ${revoked.key}`, `Bearer ${expired.key}`];
    for (const operation of [...operations, ...forOperators]) {
      for (const Authorization of headers) {
        const reply = await ada.call(operation.method, fill(operation.path, mine), operation.body?.example, {
          Authorization,
        });
        const answer = [reply.status, reply.text, reply.headers.get("WWW-Authenticate")];
        expect([operation.operationId, ...answer]).toEqual([
          operation.operationId,
          401,
          '{"error":"unauthorized"}',
          "Bearer",
        ]);
      }
    }
  });

  test("a key with all scopes but the needed one is refused", async () => {
    promise("access", "deploy keys need a session or an API key without scopes");
    const answers = await answersOf(operations, async (operation) => {
      const scopes = SCOPES.filter((scope) => scope !== operation.scope);
      return ask(await http.addCaller({ userId: ada.userId, scopes }), operation, mine);
    });
    expect(answers).toEqual(allOf(operations, [403, "insufficient_scope"]));
  });

  test("no key does what operators do, whoever has made it; one of an operator's reads the table of routes", async () => {
    const refused = forOperators.filter(({ operationId }) => operationId !== "listRoutes");
    expect(await answersOf(refused, (operation) => ask(ada, operation, mine))).toEqual(
      allOf(refused, [404, "not_found"]),
    );
    expect((await ada.call("GET", "/api/routes")).status).toBe(200);
  });

  test("a key limited to another app is refused", async () => {
    const limited = await http.addCaller({ userId: ada.userId, apps: ["other"] });
    const ofApp = operations.filter(isOfApp);
    expect(await answersOf(ofApp, (operation) => ask(limited, operation, mine))).toEqual(
      allOf(ofApp, [403, "insufficient_scope"]),
    );
    expect((await limited.call("GET", "/api/apps")).json).toEqual({ apps: [] });
    const created = await limited.call("POST", "/api/apps", { name: "third", repo_url: "https://github.com/you/x" });
    expect([created.status, created.json["error"]]).toEqual([403, "insufficient_scope"]);
    const broken = await limited.call("POST", "/api/apps", { name: "third", colour: "red" });
    expect([broken.status, broken.json["error"]]).toEqual([403, "insufficient_scope"]);
  });

  test("an unverified user reads, and changes nothing", async () => {
    promise("access", "a user whose address is not verified may change nothing: 403");
    const unverified = await http.addCaller({ verified: false });
    const answers = await answersOf(operations, (operation) => ask(unverified, operation, mine));
    for (const { operationId, changes } of operations) {
      if (changes) expect([operationId, answers[operationId]]).toEqual([operationId, [403, "email_not_verified"]]);
      else expect([200, 404]).toContain(answers[operationId]![0]);
    }
  });
});

describe.each(["with a key", "signed in"])("on every route, %s", (how) => {
  const call: Caller["call"] = (...request) => (how === "signed in" ? signedIn : ada).call(...request);
  const allowed = () => (how === "signed in" ? [...operations, ...forOperators] : operations);

  test("another owner's app is answered as one that does not exist", async () => {
    promise(
      "access",
      "a deploy of an app that is not there is answered with 404",
      "another owner's app is answered as one that does not exist",
    );
    for (const operation of operations.filter(isOfApp)) {
      const [other, unknown] = await Promise.all([
        ask({ call }, operation, theirs),
        ask({ call }, operation, { name: "unknown", id: "0198c0de-7a11-7000-8000-00000000dead" }),
      ]);
      // Only the name that was asked for differs.
      const text = other.text.replace(`named \\"${theirs.name}\\"`, String.raw`named \"unknown\"`);
      expect([operation.operationId, other.status, text]).toEqual([operation.operationId, 404, unknown.text]);
    }
  });

  test("an app is looked for before the body is looked at", async () => {
    const ofApp = withBody(allowed()).filter(isOfApp);
    const answers = await answersOf(ofApp, ({ method, path }) => call(method, fill(path, theirs), "{"));
    expect(answers).toEqual(allOf(ofApp, [404, "not_found"]));
  });

  test("malformed JSON, a wrong type and a body that is no object are refused", async () => {
    // Rules of the repository come before the body's.
    const which = withBody(allowed());
    for (const text of ["{", "nul", "\u0000", "[1]", '"x"', "1", '{"__proto__": 1}']) {
      const answers = await answersOf(which, ({ method, path }) => call(method, fill(path, mine), text));
      expect([text, answers]).toEqual([text, allOf(which, [400, "invalid_request"])]);
    }
  });

  test("a body that is not declared as JSON is refused", async () => {
    const answers = await answersOf(withBody(allowed()), ({ method, path }) =>
      call(method, fill(path, mine), "a=1", { "Content-Type": "application/x-www-form-urlencoded" }),
    );
    expect(answers).toEqual(allOf(withBody(allowed()), [415, "unsupported_media_type"]));
  });

  test("a body beyond 1 MiB is refused", async () => {
    const answers = await answersOf(withBody(allowed()), ({ method, path }) =>
      call(method, fill(path, mine), `{}${" ".repeat(1024 * 1024 - 1)}`),
    );
    expect(answers).toEqual(allOf(withBody(allowed()), [413, "payload_too_large"]));
  });

  test("an unknown property is refused by its name", async () => {
    for (const { operationId, method, path, body } of withBody(allowed())) {
      const reply = await call(method, fill(path, mine), {
        ...(body?.example as object | undefined),
        colour: "red",
      });
      expect([operationId, reply.status, reply.json["detail"]]).toEqual([
        operationId,
        400,
        expect.stringContaining('"colour"'),
      ]);
    }
  });

  test("an unknown query parameter, one that is given twice and one out of range are refused", async () => {
    for (const operation of allowed()) {
      const place = fill(operation.path, mine);
      // DELETE removes what it finds, so only what can't be found is asked for here.
      if (operation.method === "DELETE") continue;
      const queries = ["colour=red", ...operation.query.flatMap(brokenQueries)];
      for (const query of queries) {
        const reply = await call(operation.method, `${place}?${query}`, operation.body?.example);
        expect([operation.operationId, query, reply.status]).toEqual([operation.operationId, query, 400]);
      }
    }
  });

  test("a method that it does not have is refused, and those it has are named", async () => {
    for (const [path, group] of Map.groupBy(allowed(), (operation) => operation.path)) {
      const has = group.map(({ method }) => method);
      const methods = [...has, ...(has.includes("GET") ? ["HEAD"] : [])];
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
        if (methods.includes(method) || method === "TRACE") continue;
        const reply = await call(method, fill(path, mine));
        const names = reply.headers.get("Allow")?.split(", ").toSorted();
        expect([path, method, reply.status, names]).toEqual([path, method, 405, methods.toSorted()]);
      }
    }
  });

  test("HEAD answers as GET does, without a body", async () => {
    for (const operation of allowed().filter(({ method }) => method === "GET")) {
      const reply = await call("HEAD", fill(operation.path, { name: "unknown", id: "unknown" }));
      expect([operation.operationId, reply.text]).toEqual([operation.operationId, ""]);
      expect([200, 404]).toContain(reply.status);
    }
  });

  test("a slash at the end, and what can't be a name, are not found", async () => {
    const strange = ["%00", "%2f", "%ff", "%c3%28", "%", "..%2f", "%E2%80%AE", "a".repeat(5000), "'", "%0d%0a"];
    for (const { method, path, body, operationId } of allowed()) {
      expect([operationId, (await call(method, `${fill(path, mine)}/`, body?.example)).status]).toEqual([
        operationId,
        404,
      ]);
      if (!path.includes("{")) continue;
      for (const text of strange) {
        const reply = await call(method, fill(path, { name: text, id: text }), body?.example);
        expect([operationId, text, reply.status]).toEqual([operationId, text, 404]);
      }
      // Names of things in the app: a key, a webhook, a domain.
      for (const text of strange) {
        const last = fill(path.replace(/\{[^}]+\}$/, "{last}"), { ...mine, last: text });
        if (last === fill(path, mine)) continue;
        const { status } = await call(method, last, body?.example);
        expect([operationId, text, status >= 400 && status < 500]).toEqual([operationId, text, true]);
      }
    }
  });
});

/** Values beyond what the parameter's schema allows. */
function brokenQueries({ name, schema }: Operation["query"][number]): string[] {
  const { type, minimum, maximum } = schema as { type?: string; minimum?: number; maximum?: number };
  const broken = [`${name}=1&${name}=2`];
  if (type === "integer")
    broken.push(`${name}=`, `${name}=x`, `${name}=1.5`, `${name}=-1`, `${name}=1e3`, `${name}=%00`);
  if (minimum !== undefined) broken.push(`${name}=${minimum - 1}`);
  if (maximum !== undefined) broken.push(`${name}=${maximum + 1}`);
  return broken;
}
