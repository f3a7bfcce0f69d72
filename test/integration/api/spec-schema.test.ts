import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
let validate: ValidateFunction;
beforeAll(async () => {
  http = await startTestApi();
  const answer = await http.api.request("/api/spec.schema.json");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/schema+json");
  // Strict: a keyword that means nothing is a mistake of the schema.
  validate = new Ajv2020({ strict: true }).compile((await answer.json()) as object);
});
afterAll(() => http?.stop());

/** The same as a file of that content, which the parser reads. */
function isParsed(value: object): boolean {
  try {
    parseDeploySpec("svc.json", JSON.stringify({ spec: "svc/v1", ...value }));
    return true;
  } catch {
    return false;
  }
}

const name = "shop";

describe("the JSON Schema of the spec file, which needs no key, agrees with the parser", () => {
  it.each<object>([
    { name },
    { name, framework: "nextjs", build: "npm run build", start: "NODE_ENV=production node x", port: 1 },
    { name, services: { "main-db": { engine: "pg", version: "15" } } },
    { name, services: {} },
    { name, runtime: "docker", sandbox: false, env: ["A", "_b"], resources: { memory: "512m", cpus: "0.5" } },
    { spec: "svc/v1", name },
    { spec: "svc/v2", name, root: "apps/web" },
  ])("that %j is right", (value) => {
    expect({ isValid: validate(value), errors: validate.errors }).toEqual({ isValid: true, errors: null });
    expect(isParsed(value)).toBe(true);
  });

  it.each<object>([
    {},
    { name: "Shop" },
    { name: "a".repeat(64) },
    { name, framework: "angular" },
    { name, build: "" },
    { name, build: "a\0b" },
    { name, start: " " },
    { name, port: 0 },
    { name, port: "80" },
    { name, services: { db: {} } },
    { name, services: { db: { engine: "mysql" } } },
    { name, services: { db: { engine: "pg", version: 16 } } },
    { name, services: { db: { engine: "pg", size: 1 } } },
    { name, services: Object.fromEntries([..."abcdefghi"].map((key) => [key, { engine: "pg" }])) },
    { name, services: { "a b": { engine: "pg" } } },
    { name, runtime: "sysbox" },
    { name, sandbox: true },
    { name, env: ["PORT"] },
    { name, env: ["SVC_X"] },
    { name, env: ["A", "A"] },
    { name, resources: { memory: "512" } },
    { name, resources: { cpus: 1 } },
    { name, resources: { disk: "1g" } },
    { name, surprise: 1 },
  ])("that %j is wrong", (value) => {
    expect(validate(value)).toBe(false);
    expect(isParsed(value)).toBe(false);
  });
});
