import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../support/http.ts";

interface Operation {
  operationId: string;
  responses: Record<string, { description: string }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

let http: TestApi;
let document: Document;

beforeAll(async () => {
  http = await startTestApi();
  const response = await http.api.request("/api/openapi.json");
  document = (await response.json()) as Document;
});
afterAll(() => http?.stop());

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every operation declares what it can answer", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.length).toBeGreaterThanOrEqual(9);
  for (const { operationId, responses } of operations) {
    expect([operationId, ...Object.keys(responses)]).toEqual(
      expect.arrayContaining(["400", "401", "403", "405", "500"]),
    );
  }
  const statusesOf = (path: string, method: string) =>
    Object.keys(document.paths[path]![method]!.responses).map(Number);
  expect(statusesOf("/api/apps", "post")).toEqual([201, 400, 401, 403, 405, 409, 413, 415, 422, 500]);
  expect(statusesOf("/api/apps/{name}/deploy", "post")).toEqual([
    202, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500,
  ]);
  expect(statusesOf("/api/deploys/{id}", "get")).toEqual([200, 400, 401, 403, 404, 405, 500]);
});
