import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { sessionCookie } from "../accounts/identity/sessions/session.ts";
import type { RequestEnv } from "../platform/http/request-env.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../platform/http/idempotency.ts";
import { type PathConfig, publicResponses, responsesOf } from "./openapi-responses.ts";
import type { Route } from "../platform/http/route.ts";
import { exampleOf, type Schema, type Schemas } from "./openapi-examples.ts";

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
      "team that owns what is made, where it is not the personal one. Answers name the person (by id) in " +
      "`Svc-Person`; where a request names another one, nothing is done.",
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
    ...publicPath("/", "readIndex", "Find the documents"),
    description:
      "Paths of the page that describes this API, of the document that it shows, of the spec file's schema, and of the package " +
      "of the command-line tool; its SHA-256 is at the same path with `.sha256`.",
    responses: publicResponses("paths", "application/json"),
  },
  {
    ...publicPath("/api/openapi.json", "readOpenApi", "Read this document"),
    responses: publicResponses("OpenAPI 3.1", "application/json"),
  },
  {
    ...publicPath("/api/docs", "readDocs", "Read this document as a page"),
    responses: publicResponses("a page that sends requests with your key", "text/html"),
  },
  {
    ...publicPath("/api/spec.schema.json", "readSpecSchema", "Read the JSON Schema of the deploy spec file"),
    description: "For editors: what svc.yaml, svc.yml and svc.json may hold, as JSON Schema, draft 2020-12.",
    responses: publicResponses("JSON Schema, draft 2020-12", JSON_SCHEMA_TYPE),
  },
];

function publicPath(path: string, operationId: string, summary: string) {
  return { method: "get" as const, path, operationId, summary, tags: ["meta"], security: [] };
}

function pathOf(route: Route): PathConfig {
  return {
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, permissionText(route)].filter(Boolean).join("\n\n"),
    tags: [route.tag],
    security: [...(route.role === "operator" && !route.takesOperatorKeys ? [] : [{ apiKey: [] }]), { session: [] }],
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

function permissionText({ scope, role, takesOperatorKeys }: Route): string {
  if (takesOperatorKeys)
    return "Role: operator, signed in or with a key without scopes. Anybody else gets `not_found`.";
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

interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}
type Content = Record<string, MediaType>;
interface Operation {
  parameters?: { name: string; schema?: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Document {
  components?: { schemas?: Schemas };
  paths: Record<string, Record<string, Operation>>;
}

/** Gives every schema, parameter and body an example, and lets what may be null be null. */
function finishDocument(document: Document): void {
  const schemas = document.components?.schemas ?? {};
  for (const schema of Object.values(schemas)) finishSchema(schema, schemas);
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const { name, schema } of operation.parameters ?? []) if (schema) finishSchema(schema, schemas, name);
    const contents = [operation.requestBody?.content, ...Object.values(operation.responses).map((r) => r.content)];
    for (const media of contents.flatMap((content) => Object.values(content ?? {}))) finishMedia(media, schemas);
  }
}

function finishMedia(media: MediaType, schemas: Schemas): void {
  if (!media.schema) return;
  finishSchema(media.schema, schemas);
  if (media.example === undefined && media.examples === undefined) media.example = exampleOf(media.schema, schemas);
}

function finishSchema(schema: Schema, schemas: Schemas, name?: string): void {
  if (schema.$ref !== undefined) return;
  // An enumeration that is written by hand does not know that its property may be null.
  if (schema.enum && Array.isArray(schema.type) && schema.type.includes("null") && !schema.enum.includes(null)) {
    schema.enum = [...schema.enum, null];
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) finishSchema(property, schemas, key);
  for (const part of [schema.allOf, schema.anyOf, schema.oneOf].flat()) if (part) finishSchema(part, schemas, name);
  if (schema.items) finishSchema(schema.items, schemas);
  if (schema.example === undefined) schema.examples ??= [exampleOf(schema, schemas, name)];
}
