import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export interface OpenApiOperation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Record<string, unknown> }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: object; example?: unknown }> };
  responses: Record<string, OpenApiResponse>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema?: object; example?: unknown; examples?: Record<string, { value: unknown }> }>;
}

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, object> };
}

/** Headers that a client acts on: an answer has only those that its description names. */
const SPEAKING_HEADERS = ["WWW-Authenticate", "Retry-After", "Allow", "Idempotent-Replayed"];
/** Headers that a status never comes without. */
const HEADER_OF_STATUS: Readonly<Record<number, string>> = {
  401: "WWW-Authenticate",
  405: "Allow",
  429: "Retry-After",
};

/** Holds answers against the OpenAPI document that the same server gives. */
export class DescribedAnswers {
  readonly #document: OpenApiDocument;
  readonly #paths: { pattern: RegExp; path: string }[];
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    // The path with fewer parameters is meant when two fit.
    this.#paths = Object.keys(document.paths)
      .toSorted((a, b) => a.split("{").length - b.split("{").length)
      .map((path) => ({
        path,
        pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      }));
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(closed(document), "document");
  }

  /** @throws Error when the answer is not as described */
  async check(method: string, path: string, response: Response): Promise<void> {
    const complaint = await this.#complaint(method, path, response);
    if (complaint !== undefined)
      throw new Error(
        `${method} ${path} was answered ${response.status}, which its description does not have: ${complaint}`,
      );
  }

  async #complaint(method: string, path: string, response: Response): Promise<string | undefined> {
    if (!/^\/api(\/|$)/.test(path)) return undefined;
    if (!response.headers.has("X-Request-Id")) return "X-Request-Id is missing";
    const known = this.#paths.find(({ pattern }) => pattern.test(path))?.path;
    if (known === undefined) return response.status === 404 ? undefined : "there is no such path";
    const operation = this.#document.paths[known]![method === "HEAD" ? "get" : method.toLowerCase()];
    if (!operation) {
      const isRefused = response.status === 405 && response.headers.has("Allow");
      return isRefused ? undefined : "the path does not have this method";
    }
    const described = operation.responses[String(response.status)];
    if (!described) return "the status is not declared";
    return headerComplaint(response, described) ?? (await this.#bodyComplaint(method, known, operation, response));
  }

  async #bodyComplaint(method: string, path: string, operation: OpenApiOperation, response: Response) {
    if (method === "HEAD") return undefined;
    const content = operation.responses[String(response.status)]!.content;
    const type = response.headers.get("Content-Type")?.split(";")[0];
    if (!content) return type === undefined ? undefined : `it has a body of ${type}`;
    if (type === undefined || !content[type]) return `its type is ${type ?? "none"}`;
    if (type !== "application/json") return undefined;
    const body: unknown = await response.clone().json();
    const verb = Object.entries(this.#document.paths[path]!).find(([, each]) => each === operation)![0];
    const validate = this.#validator(path, verb, response.status);
    return validate(body)
      ? undefined
      : `${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`;
  }

  #validator(path: string, verb: string, status: number): ValidateFunction {
    const place = ["paths", path, verb, "responses", String(status), "content", "application/json", "schema"];
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const known = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `document#/${pointer}` });
    this.#validators.set(pointer, known);
    return known;
  }
}

function headerComplaint(response: Response, described: OpenApiResponse): string | undefined {
  const needed = HEADER_OF_STATUS[response.status];
  if (needed !== undefined && !response.headers.has(needed)) return `${needed} is missing`;
  const undeclared = SPEAKING_HEADERS.find((name) => response.headers.has(name) && !described.headers?.[name]);
  return undeclared && `the header ${undeclared} is not declared`;
}

/** A client must bear further properties; our own answers must not have any that are not described. */
function closed<T>(document: T): T {
  const copy = JSON.parse(JSON.stringify(document)) as T;
  const bases = new Set<string>();
  walk(copy, ({ allOf }) => {
    for (const part of Array.isArray(allOf) ? allOf : []) bases.add(JSON.stringify((part as { $ref?: string }).$ref));
  });
  walk(copy, (schema, path) => {
    if (schema["allOf"]) schema["unevaluatedProperties"] = false;
    const isPart = path.includes("allOf") || bases.has(JSON.stringify(`#/${path.join("/")}`));
    const isOpen = schema["type"] === "object" && schema["properties"] && schema["additionalProperties"] === undefined;
    if (isOpen && !isPart) schema["additionalProperties"] = false;
  });
  return copy;
}

function walk(
  value: unknown,
  visit: (object: Record<string, unknown>, path: string[]) => void,
  path: string[] = [],
): void {
  if (typeof value !== "object" || value === null) return;
  visit(value as Record<string, unknown>, path);
  for (const [key, part] of Object.entries(value)) walk(part, visit, [...path, key]);
}
