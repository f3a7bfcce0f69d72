import { z, type OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorCode } from "@svc/shared/errors.ts";
import { HTTP_ERRORS } from "../platform/http/errors.ts";
import { takesBody, type Route } from "../platform/http/route.ts";

const ErrorSchema = z
  .looseObject({
    error: z.string().openapi({ description: "a code" }),
    detail: z.string().optional().openapi({ description: "a sentence for the person who can act" }),
    request_id: z.string().optional().openapi({ description: "only with 500" }),
    txt_record: z
      .string()
      .optional()
      .openapi({ description: "with `domain_not_verified`, and `domain_in_use` of another owner" }),
    txt_value: z
      .string()
      .optional()
      .openapi({ description: "with `domain_not_verified`, and `domain_in_use` of another owner" }),
  })
  .openapi("Error", { example: { error: "invalid_request", detail: "The port 70000 is out of range." } });

export type PathConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];
type Responses = PathConfig["responses"];
type Headers = Exclude<NonNullable<Extract<Responses[string], { headers?: unknown }>["headers"]>, z.ZodType>;

const REQUEST_ID: Headers = {
  "X-Request-Id": {
    schema: { type: "string", examples: ["0198c0de-7a11-7000-8000-000000000001"] },
    description: "also in the service's log",
  },
};
const REPLAYED: Headers = {
  "Idempotent-Replayed": {
    schema: { type: "string", enum: ["true"], examples: ["true"] },
    description: "the stored answer of an earlier request with this idempotency key",
  },
};
const RETRY_AFTER: Headers = {
  "Retry-After": { schema: { type: "integer", minimum: 1, examples: [6] }, description: "seconds to wait" },
};

/** Headers that come with a status, beyond those of every answer. */
const HEADERS_OF_STATUS: Readonly<Record<number, Headers>> = {
  401: {
    "WWW-Authenticate": { schema: { type: "string", examples: ["Bearer"] }, description: "how to authenticate" },
  },
  405: { Allow: { schema: { type: "string", examples: ["GET, HEAD, POST"] }, description: "the methods of the path" } },
  409: RETRY_AFTER,
  429: RETRY_AFTER,
  502: RETRY_AFTER,
  503: RETRY_AFTER,
  504: RETRY_AFTER,
};

/** Refusals that an idempotency key stores: those after it in the order of checks. */
const REPLAYED_STATUSES = new Set([400, 403, 404, 409, 413, 415, 422]);

/** Describes a route's answers for OpenAPI: what follows from its facts, then what it declares. */
export function responsesOf(route: Route): Responses {
  return { ...successesOf(route), ...errorsOf(codesOf(route), route.idempotent ?? false) };
}

/** Describes the answers of a path that needs no key. */
export function publicResponses(description: string, contentType: string): Responses {
  const content = { [contentType]: { schema: { type: "object" as const } } };
  const page = { [contentType]: { schema: { type: "string" as const }, example: "<!doctype html>" } };
  return {
    "200": { description, headers: REQUEST_ID, content: contentType.endsWith("json") ? content : page },
    ...errorsOf(new Set<ErrorCode>(["method_not_allowed", "internal"]), false),
  };
}

const EXAMPLE_OF_TYPE: Readonly<Record<string, string>> = {
  "text/event-stream": 'id: 1\nevent: log\ndata: {"lines":["listening on port 3000"]}\n\n',
};

function successesOf(route: Route): Responses {
  const headers = { ...REQUEST_ID, ...(route.idempotent && REPLAYED) };
  const entries = route.successes.map(({ status, description, schema, contentType, headers: own = {} }) => {
    const json = schema && { "application/json": { schema } };
    const other =
      contentType === undefined
        ? undefined
        : { [contentType]: { schema: { type: "string" as const }, example: EXAMPLE_OF_TYPE[contentType] } };
    const content = { ...json, ...other };
    return [
      String(status),
      { description, headers: { ...headers, ...describedHeaders(own) }, ...((json ?? other) && { content }) },
    ] as const;
  });
  return Object.fromEntries(entries);
}

function describedHeaders(headers: Readonly<Record<string, string>>): Headers {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, description]) => [name, { schema: { type: "string" }, description }]));
}

/** One entry a status, with an example of each of its codes. */
function errorsOf(codes: ReadonlySet<ErrorCode>, idempotent: boolean): Responses {
  const byStatus = Map.groupBy(codes, (code) => HTTP_ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const description = ofStatus.map((code) => `\`${code}\`: ${HTTP_ERRORS[code].description}`).join("\n\n");
      const replayed = idempotent && REPLAYED_STATUSES.has(status) ? REPLAYED : {};
      const headers = { ...REQUEST_ID, ...HEADERS_OF_STATUS[status], ...replayed };
      const examples = Object.fromEntries(ofStatus.map((code) => [code, { value: exampleOfError(code) }]));
      const content = { "application/json": { schema: ErrorSchema, examples } };
      return [String(status), { description, headers, content }];
    }),
  );
}

function exampleOfError(code: ErrorCode): Record<string, string> {
  if (code === "unauthorized") return { error: code };
  if (code === "internal") return { error: code, request_id: "0198c0de-7a11-7000-8000-000000000001" };
  const detail = HTTP_ERRORS[code].description.replaceAll("`", "");
  if (code !== "domain_not_verified") return { error: code, detail };
  return { error: code, detail, txt_record: "_svc-verify.shop.example.com", txt_value: "svc-verify=3f8a1c2b9d" };
}

function codesOf(route: Route): Set<ErrorCode> {
  const codes: ErrorCode[] = [
    "invalid_request",
    "unauthorized",
    "other_person",
    ...(route.role === "operator" ? [] : (["insufficient_scope", "insufficient_role"] as const)),
    // What the path names, or the team that Svc-Team does.
    "not_found",
    "method_not_allowed",
    "rate_limited",
    "internal",
  ];
  if (route.changes) codes.push("email_not_verified", "origin_refused");
  if (takesBody(route)) codes.push("payload_too_large", "unsupported_media_type");
  if (route.idempotent) codes.push("idempotency_key_in_progress", "idempotency_key_reuse");
  return new Set([...codes, ...route.errors]);
}
