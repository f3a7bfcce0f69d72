import fc from "fast-check";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenApiDocument } from "../../support/api/described-answers.ts";
import { everyOperation, fill, type Operation } from "../../support/api/every-operation.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";

/** The number of requests of this file; the heap is compared between the first and the second. */
const REQUESTS = { warm: 5_000, all: 20_000 };
/** Asked for at once: what the database serves in parallel, and no more. */
const AT_ONCE = 10;
/** The same requests in every run. */
const SEED = 3;
/** Stands in everything that belongs to somebody else. */
const CANARY = "canary-7f3a";

let http: TestApi;
let operations: Operation[];
let ada: Caller;
const rejections: unknown[] = [];
const noteRejection = (reason: unknown) => void rejections.push(reason);

beforeAll(async () => {
  process.on("unhandledRejection", noteRejection);
  http = await startTestApi();
  const document = (await (await http.api.request("/api/openapi.json")).json()) as OpenApiDocument;
  operations = everyOperation(document);
  ada = await http.addCaller();
  await fillAccount(ada, "own", "own-value");
  await fillAccount(await http.addCaller(), CANARY, CANARY);
});
afterAll(async () => {
  process.off("unhandledRejection", noteRejection);
  await http?.stop();
});

async function fillAccount(caller: Caller, name: string, value: string): Promise<void> {
  await caller.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${value}` });
  await caller.call("PUT", `/api/apps/${name}/env`, { env: { GREETING: value } });
  await caller.call("POST", `/api/apps/${name}/deploy`, { ref: value, release: value });
}

interface Request {
  operation: Operation;
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

/** Requests that are mostly nearly right: what is only noise is refused by the first check. */
function requests(deployIds: readonly string[]): fc.Arbitrary<Request> {
  const odd = fc.constantFrom("", "%00", "%2f..%2f", "%ff", "..", "a b", "'; --", "${x}", "\u202e", "x".repeat(300));
  const name = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("own", "new-1", "new-2", CANARY) },
    { weight: 1, arbitrary: odd },
  );
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...deployIds) },
    { weight: 1, arbitrary: odd },
    fc.uuid(),
  );
  const other = fc.oneof(fc.constantFrom("GREETING", "A", "shop.example.com"), odd);
  const queryValue = fc.oneof(fc.constantFrom("1", "0", "-1", "100", "501", "1e9", "", "%00", "true"), fc.uuid());
  const headerValue = fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) });

  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE") },
      ),
      path: fc
        .record({ name, id, other, query: fc.dictionary(queryName(operation), queryValue, { maxKeys: 2 }) })
        .map(({ name: app, id: deploy, other: rest, query }) => {
          const values = { name: app, id: deploy, KEY: rest, domain: rest, delivery_id: deploy };
          // A stream has no end that could be waited for.
          const pairs = Object.entries(query).filter(([key]) => key !== "follow");
          return (
            fill(operation.path, values) + (pairs.length > 0 ? `?${pairs.map((pair) => pair.join("=")).join("&")}` : "")
          );
        }),
      body: operation.body ? bodies(operation.body.example) : fc.constant(undefined),
      headers: fc.record(
        {
          "Idempotency-Key": fc.oneof(fc.constantFrom("one", "two", "k".repeat(256)), headerValue),
          "Content-Type": fc.constantFrom("application/json", "text/plain", "application/json; charset=utf-16", ""),
          "Last-Event-ID": fc.constantFrom("0", "1", "-1", "9".repeat(30)),
        },
        { requiredKeys: [] },
      ),
    }),
  );
}

function queryName({ query }: Operation): fc.Arbitrary<string> {
  const names = query.map(({ name }) => name);
  return fc.constantFrom(...names, ...names, "colour", "__proto__");
}

/** The example with some of its values replaced, or something else. */
function bodies(example: unknown): fc.Arbitrary<string | undefined> {
  const strange = fc.oneof(
    fc.constantFrom("", "\0", "\ud800", "own", "new-1", "../x", "-x", "A".repeat(9_000), `https://${CANARY}@a.test/x`),
    fc.constantFrom(0, -1, 65_536, 1.5, 1e308, null, true),
    fc.constantFrom<unknown>([], {}, ["a"], { a: { b: 1 } }, { "": "" }, { PORT: "1", A: "2" }),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  const changed = fc
    .record({
      replaced: fc.dictionary(fc.constantFrom(...Object.keys(example as object), "colour"), strange, { maxKeys: 2 }),
      dropped: fc.option(fc.constantFrom(...Object.keys(example as object)), { freq: 8 }),
    })
    .map(({ replaced, dropped }) => {
      const body: Record<string, unknown> = { ...(example as object), ...replaced };
      if (dropped !== null) delete body[dropped];
      return JSON.stringify(body);
    });
  return fc.oneof(
    { weight: 8, arbitrary: changed },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

async function send({ operation, method, path, body, headers }: Request): Promise<void> {
  const carriesBody = method !== "GET" && method !== "HEAD";
  // A stream that has not ended would be waited for.
  const query = operation.path.endsWith("/events") && method === "GET" ? "?colour=red" : "";
  const reply = await ada.call(method, path + query, carriesBody ? body : undefined, headers);
  const request = `${method} ${path} ${body ?? ""}`;
  // There is no server here: a plan that would be made says so.
  const isTold = operation.path === "/api/plan" && reply.status === 503 && reply.json["error"] === "agent_away";
  if (reply.status >= 500 && !isTold) throw new Error(`${request} was answered ${reply.status}: ${reply.text}`);
  // Text that the caller sent comes back in complaints.
  if (!request.includes(CANARY) && reply.text.includes(CANARY)) throw new Error(`${request} was told ${reply.text}`);
}

const collectGarbage = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

function heapAfterGc(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

test(`${REQUESTS.all} generated requests: no 5xx, nothing of another owner, no unhandled rejection, memory flat`, async () => {
  const { rows } = await http.database.query("select id from deploys");
  const generated = fc.sample(requests(rows.map((row) => (row as { id: string }).id)), {
    seed: SEED,
    numRuns: REQUESTS.all,
  });
  let warmHeapMb = 0;
  for (let start = 0; start < generated.length; start += AT_ONCE) {
    if (start === REQUESTS.warm) warmHeapMb = heapAfterGc();
    await Promise.all(generated.slice(start, start + AT_ONCE).map(send));
  }
  const grownMb = heapAfterGc() - warmHeapMb;
  expect(rejections).toEqual([]);
  // A leak of 1 KB a request would be 15 MB.
  expect(grownMb).toBeLessThan(10);
});
