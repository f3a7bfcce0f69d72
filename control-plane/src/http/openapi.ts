import { z, type OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorCode } from "@svc/shared/errors.ts";
import type { RequestEnv } from "./request-env.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "./idempotency.ts";
import type { Route } from "./route.ts";

const ErrorSchema = z
  .looseObject({
    error: z.string().openapi({ description: "a code" }),
    detail: z.string().optional().openapi({ description: "a sentence for the person who can act" }),
    request_id: z.string().optional().openapi({ description: "only with 500" }),
  })
  .openapi("Error");

const REQUEST_ID = {
  "X-Request-Id": { schema: { type: "string" as const }, description: "also in the service's log" },
};

/** The OpenAPI 3.1 document of the routes; what each can answer is derived from what it declares. */
export function openApiDocument(api: OpenAPIHono<RequestEnv>, routes: readonly Route[], baseUrl: string): string {
  api.openAPIRegistry.registerComponent("securitySchemes", "apiKey", { type: "http", scheme: "bearer" });
  for (const route of routes) api.openAPIRegistry.registerPath(pathOf(route));
  const document = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Deployment service",
      version: "1.0.0",
      description: "From a git repository to an app served over HTTPS.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: baseUrl }],
  });
  return JSON.stringify(document);
}

type PathConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];

function pathOf(route: Route): PathConfig {
  return {
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, `Scope: ${route.scope}.`].filter(Boolean).join("\n\n"),
    tags: [route.tag],
    security: [{ apiKey: [] }],
    request: {
      params: paramsOf(route),
      query: route.query,
      headers: headersOf(route),
      ...(route.body && {
        body: { required: !route.bodyOptional, content: { "application/json": { schema: route.body } } },
      }),
    },
    responses: { ...successesOf(route), ...errorsOf(route) },
  };
}

const SUBJECT_PARAMS: Readonly<Record<string, string>> = { name: "name of the app", id: "identifier of the deploy" };

function paramsOf(route: Route) {
  const names = [...route.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);
  const descriptions = { ...SUBJECT_PARAMS, ...route.params };
  return z.object(
    Object.fromEntries(
      names.map((name) => [
        name,
        z.string().openapi({ param: { name, in: "path", description: descriptions[name] ?? name } }),
      ]),
    ),
  );
}

function headersOf(route: Route) {
  const described = Object.entries(route.headers ?? {}).map(
    ([name, description]) =>
      [
        name,
        z
          .string()
          .optional()
          .openapi({ param: { name, in: "header", description } }),
      ] as const,
  );
  const key = z
    .string()
    .optional()
    .openapi({
      maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
      param: {
        name: "Idempotency-Key",
        in: "header",
        description: "a retry with the same key and body changes nothing more",
      },
    });
  return z.object(Object.fromEntries([...described, ...(route.idempotent ? [["Idempotency-Key", key] as const] : [])]));
}

function successesOf(route: Route): PathConfig["responses"] {
  const entries = route.successes.map(({ status, description, schema, contentType }) => {
    const json = schema && { "application/json": { schema } };
    const other = contentType === undefined ? undefined : { [contentType]: { schema: { type: "string" as const } } };
    const content = json ?? other;
    return [String(status), { description, headers: REQUEST_ID, ...(content && { content }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** One entry a status, listing its codes. */
function errorsOf(route: Route): PathConfig["responses"] {
  const byStatus = Map.groupBy(codesOf(route), (code) => HTTP_ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const description = codes.map((code) => `\`${code}\`: ${HTTP_ERRORS[code].description}`).join("\n\n");
      return [
        String(status),
        { description, headers: REQUEST_ID, content: { "application/json": { schema: ErrorSchema } } },
      ];
    }),
  );
}

/** What follows from the route's facts, then what it declares. */
function codesOf(route: Route): Set<ErrorCode> {
  const codes: ErrorCode[] = [
    "invalid_request",
    "unauthorized",
    "insufficient_scope",
    "method_not_allowed",
    "internal",
  ];
  if (route.changes) codes.push("email_not_verified", "rate_limited");
  if (route.body) codes.push("payload_too_large", "unsupported_media_type");
  if (route.idempotent) codes.push("idempotency_key_in_progress", "idempotency_key_reuse");
  if (route.path.includes("{")) codes.push("not_found");
  return new Set([...codes, ...route.errors]);
}
