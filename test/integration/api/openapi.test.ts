import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenApiDocument } from "../../support/api/described-answers.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

const run = promisify(execFile);

let http: TestApi;
let text: string;
let document: OpenApiDocument;
const copy = () => JSON.parse(text) as OpenApiDocument;

beforeAll(async () => {
  http = await startTestApi();
  text = await (await http.api.request("/api/openapi.json")).text();
  document = copy();
});
afterAll(() => http?.stop());

test("the document is valid OpenAPI 3.1", async () => {
  promise("service", "the API is described by a valid OpenAPI 3.1 document");
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...copy() });
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
  await expect(SwaggerParser.validate(copy() as never)).resolves.toBeDefined();
});

test("the document passes redocly's rules without a warning", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-openapi-"));
  try {
    writeFileSync(join(directory, "openapi.json"), text);
    writeFileSync(join(directory, "redocly.yaml"), "extends: [recommended]\n");
    const cli = join(import.meta.dirname, "../../../node_modules/.bin/redocly");
    const { stdout } = await run(process.execPath, [cli, "lint", "--format=json", "openapi.json"], {
      cwd: directory,
      env: { PATH: process.env["PATH"]!, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    const { problems } = JSON.parse(stdout) as { problems: { message: string; location: { pointer: string }[] }[] };
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const operations = () => Object.values(document.paths).flatMap((methods) => Object.entries(methods));

test("only the document, its page and the schema of the spec file need no key, and no operation makes API keys", async () => {
  promise("access", "the description of the API is read without a key", "no call of the API makes an API key");
  const open = Object.entries(document.paths)
    .filter(([, methods]) => Object.values(methods).some(({ security }) => security?.length === 0))
    .map(([path]) => path);
  expect(open.toSorted()).toEqual(["/", "/api/docs", "/api/openapi.json", "/api/spec.schema.json"]);
  for (const path of open) expect((await http.api.request(path)).status).toBe(200);
  expect(Object.keys(document.paths).filter((path) => /key/.test(path))).toEqual(["/api/apps/{name}/deploy-key"]);
});

test("no path has a version in it", () => {
  promise("versions", "no path of the API has a version in it");
  expect(Object.keys(document.paths).filter((path) => /\/v\d/.test(path))).toEqual([]);
});

const isForOperators = (description = ""): boolean => description.includes("Role: operator,");

test("every operation declares what it can answer", () => {
  const guarded = operations().filter(([, { security }]) => security?.length !== 0);
  expect(guarded.length).toBeGreaterThanOrEqual(8);
  for (const [method, { operationId, description, requestBody, responses, security = [] }] of guarded) {
    const expected = ["400", "401", "404", "405", "500"];
    // Whoever may not do what operators alone can is answered with 404.
    if (security.length > 1 && !isForOperators(description)) expected.push("403");
    if (method !== "get") expected.push("429");
    if (requestBody) expected.push("413", "415");
    expect([operationId, ...Object.keys(responses)]).toEqual(expect.arrayContaining(expected));
  }
});

test("every answer declares its headers", () => {
  for (const [, { operationId, responses }] of operations()) {
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      expect([operationId, status, ...Object.keys(headers)]).toContain("X-Request-Id");
    }
    if (responses["401"]) expect(Object.keys(responses["401"].headers!)).toContain("WWW-Authenticate");
    if (responses["429"]) expect(Object.keys(responses["429"].headers!)).toContain("Retry-After");
    expect(Object.keys(responses["405"]!.headers!)).toContain("Allow");
  }
  const created = document.paths["/api/apps"]!["post"]!.responses["201"]!;
  expect(Object.keys(created.headers!)).toContain("Idempotent-Replayed");
});

test("every schema and every body has an example that it allows, and no filler among them", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...copy() }, "document");
  const check = (schema: object, example: unknown, where: string) => {
    const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    const validate = ajv.compile(inDocument);
    expect([where, validate(example), ajv.errorsText(validate.errors)]).toEqual([where, true, "No errors"]);
    expect([where, JSON.stringify(example)]).not.toContain('"text"');
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const { example, examples } = schema as { example?: unknown; examples?: unknown[] };
    check(schema, example ?? examples?.[0], name);
  }
  for (const [, { operationId, requestBody, responses }] of operations()) {
    for (const content of [requestBody?.content, ...Object.values(responses).map((response) => response.content)]) {
      for (const media of Object.values(content ?? {})) {
        const { example, examples } = media as { example?: unknown; examples?: Record<string, { value: unknown }> };
        const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
        for (const value of values) check(media.schema!, value, operationId);
      }
    }
  }
});
