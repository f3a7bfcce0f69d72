import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { sessionCookie } from "../accounts/identity/sessions/session.ts";
import type { RequestEnv } from "../platform/http/request-env.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../platform/http/idempotency.ts";
import { finishDocument, type Document } from "./openapi-finish.ts";
import { publicResponses, responsesOf, type PathConfig } from "./openapi-responses.ts";
import type { Route } from "../platform/http/route.ts";

/** The OpenAPI 3.1 document of the routes; what each can answer is derived from what it declares. */
export function openApiDocument(api: OpenAPIHono<RequestEnv>, routes: readonly Route[], baseUrl: string): string {
  api.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key: the quickstart prints one, and the operator makes more (`npm run admin`).",
  });
  api.openAPIRegistry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: sessionCookie(baseUrl).name,
    description:
      "Whoever is signed in on a page of this service. What changes something has the page's `Origin`; the header `Svc-Team` names the " +
      "team that owns what is made, where it is not the personal one.",
  });
  for (const route of routes) api.openAPIRegistry.registerPath(pathOf(route));
  for (const path of PUBLIC_PATHS) api.openAPIRegistry.registerPath(path);
  const raw = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Deployment service",
      version: "1.0.0",
      description: "From a git repository to an app served over HTTPS.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: baseUrl }],
  });
  const document = JSON.parse(JSON.stringify(raw)) as Document;
  finishDocument(document);
  return JSON.stringify(document);
}

export const JSON_SCHEMA_TYPE = "application/schema+json";

const PUBLIC_PATHS: PathConfig[] = [
  {
    method: "get",
    path: "/",
    operationId: "readIndex",
    summary: "Find the documents",
    description:
      "Paths of the page that describes this API, of the document that it shows, of the spec file's schema, and of the package " +
      "of the command-line tool; its SHA-256 is at the same path with `.sha256`.",
    tags: ["meta"],
    security: [],
    responses: publicResponses("paths", "application/json"),
  },
  {
    method: "get",
    path: "/api/openapi.json",
    operationId: "readOpenApi",
    summary: "Read this document",
    tags: ["meta"],
    security: [],
    responses: publicResponses("OpenAPI 3.1", "application/json"),
  },
  {
    method: "get",
    path: "/api/docs",
    operationId: "readDocs",
    summary: "Read this document as a page",
    tags: ["meta"],
    security: [],
    responses: publicResponses("a page that sends requests with your key", "text/html"),
  },
  {
    method: "get",
    path: "/api/spec.schema.json",
    operationId: "readSpecSchema",
    summary: "Read the JSON Schema of the deploy spec file",
    description: "For editors: what svc.yaml, svc.yml and svc.json may hold, as JSON Schema, draft 2020-12.",
    tags: ["meta"],
    security: [],
    responses: publicResponses("JSON Schema, draft 2020-12", JSON_SCHEMA_TYPE),
  },
];

function pathOf(route: Route): PathConfig {
  return {
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, permissionText(route)].filter(Boolean).join("\n\n"),
    tags: [route.tag],
    security: [...(route.role === "operator" ? [] : [{ apiKey: [] }]), { session: [] }],
    request: {
      params: paramsOf(route),
      query: route.query,
      headers: headersOf(route),
      ...(route.body && {
        body: { required: !route.bodyOptional, content: { "application/json": { schema: route.body } } },
      }),
    },
    responses: responsesOf(route),
  };
}

function permissionText({ scope, role }: Route): string {
  if (role === "operator") return "Role: operator, signed in. Anybody else, and every key, gets `not_found`.";
  return `Scope: ${scope}. Role: ${role}.`;
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
