import { expect, test } from "vitest";
import { ERROR_CODES, SvcError, toSvcError } from "@svc/shared/errors.ts";
import { errorAnswer, HTTP_ERRORS } from "./errors.ts";

test("every code has a status of its kind and a description", () => {
  for (const code of ERROR_CODES) {
    expect(HTTP_ERRORS[code].status).toBeGreaterThanOrEqual(400);
    expect(HTTP_ERRORS[code].status).toBeLessThan(600);
    expect(HTTP_ERRORS[code].description).toMatch(/\.$/);
  }
});

test("further fields and the time to wait reach the caller", () => {
  const error = new SvcError("rate_limited", "Wait.", { fields: { txt_record: "x" }, retryAfterSeconds: 7 });
  expect(errorAnswer(error, "id")).toEqual({
    status: 429,
    body: '{"error":"rate_limited","detail":"Wait.","txt_record":"x"}',
    headers: { "Retry-After": "7" },
  });
});

test("nothing of an unexpected error reaches the caller", () => {
  const { body } = errorAnswer(toSvcError(new Error("password=hunter2")), "the-id");
  expect(body).toBe('{"error":"internal","request_id":"the-id"}');
});
