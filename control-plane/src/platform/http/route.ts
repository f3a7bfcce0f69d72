import { z } from "@hono/zod-openapi";
import { SvcError, type ErrorCode } from "@svc/shared/errors.ts";
import type { Role } from "../role.ts";
import type { Scope } from "../scope.ts";
import { LEAST_ROLE } from "../scope-roles.ts";
import type { OperationContext } from "../operation.ts";
import { noContent, type Answer } from "./answer.ts";
import type { RequestBody } from "./request-body.ts";
import { parseObject, type ObjectSchema } from "./validation.ts";

export type Params = Readonly<Record<string, string>>;

/** The row that a path names, looked up before anything of the request is validated. */
export interface Subject<Row> {
  /** @throws SvcError not_found, also for another owner's; insufficient_scope when the key is limited to other apps */
  find(ctx: OperationContext, params: Params): Promise<Row>;
  /**
   * Refuses a key that is limited to other apps. That there is no such row may be said later, by `find`.
   * @throws SvcError insufficient_scope, not_found
   */
  requirePermission(ctx: OperationContext, params: Params): Promise<void>;
  /** The same row, of whichever of the caller's teams owns it; undefined when none does. */
  findInTeams(ctx: OperationContext, params: Params): Promise<Owned<Row> | undefined>;
}

/** A row with the id of the team that owns it. */
export interface Owned<Row> {
  teamId: string;
  row: Row;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** A request as it came, before anything of it is believed. */
export interface RawRequest {
  params: Params;
  query: URLSearchParams;
  body: RequestBody | undefined;
  headers: Headers;
  method: string;
}

export interface Success {
  status: number;
  description: string;
  /** The schema of the JSON body; without one there is no body. */
  schema?: z.ZodType;
  /** The type of a body that is not JSON; with a schema, of the other body that it may be. */
  contentType?: string;
  /** Headers of the answer, with what they say. */
  headers?: Readonly<Record<string, string>>;
}

/** @param schema of the JSON body, or the schemas of its properties */
export function success(status: number, description: string, schema?: z.ZodType | z.ZodRawShape): Success {
  if (schema === undefined) return { status, description };
  return { status, description, schema: schema instanceof z.ZodType ? schema : z.object(schema) };
}

/** Everything about a route that documentation and checks need, as data. */
interface RouteFacts {
  method: Method;
  /** The path as OpenAPI writes it: /api/apps/{name}. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  /** Keys without scopes of operators can use it, too: only for what reads no more than names (decision 037). */
  takesOperatorKeys?: boolean;
  /** Counted as one that reads although it changes something: it has limits of its own. */
  countsAsRead?: boolean;
  /** It accepts Idempotency-Key. */
  idempotent?: boolean;
  /** Descriptions of the path's parameters. */
  params?: Readonly<Record<string, string>>;
  /** Further request headers, for the documentation. */
  headers?: Readonly<Record<string, string>>;
  /** An empty body is read as an empty object. */
  bodyOptional?: boolean;
  successes: Success | readonly Success[];
  /** Errors beyond those that follow from the other facts. */
  errors?: readonly ErrorCode[];
}

/**
 * The role is the least in the team that owns the subject, or what is made; without one, the least of the scope. The tag is the
 * chapter of the documentation; without one, the one that is called as the scope.
 */
type Access =
  | { scope: Scope; role?: Role; tag?: string }
  /** "operator": for what no key may do, whatever its scopes. */
  | { scope: "unscoped"; role: Role | "operator"; tag: string };

export interface Route extends RouteFacts {
  tag: string;
  scope: Scope | "unscoped";
  role: Role | "operator";
  /** It changes something, as every method but GET does: the caller needs a verified address. */
  changes: boolean;
  successes: readonly Success[];
  errors: readonly ErrorCode[];
  subject: Subject<unknown> | "none";
  query: ObjectSchema;
  body: ObjectSchema | undefined;
  /**
   * Runs from the look-up of the subject on.
   * @param found the subject, where it was looked up for this request already
   */
  run(ctx: OperationContext, request: RawRequest, found?: unknown): Promise<Answer | Response>;
}

export interface Input<Row, Q extends ObjectSchema, B extends ObjectSchema> {
  subject: Row;
  params: Params;
  query: z.output<Q>;
  body: z.output<B>;
  headers: Headers;
  method: string;
}

/** A route that changes something refuses a body that it would ignore; without a schema it may be an empty object. */
export function takesBody({ body, changes }: Pick<Route, "body" | "changes">): boolean {
  return body !== undefined || changes;
}

interface RouteParts<Row, Q extends ObjectSchema, B extends ObjectSchema> extends RouteFacts {
  /** A route says it in any case: one that names an app, and forgets to look it up, would serve it to everybody. */
  subject: Subject<Row> | "none";
  query?: Q;
  body?: B;
  /** @returns nothing for 204 */
  handle(ctx: OperationContext, input: Input<Row, Q, B>): Promise<Answer | Response | void>;
}

const NOTHING = z.strictObject({});
type Nothing = typeof NOTHING;

/** A route whose handler sees only what is found, permitted and of the right types. */
export function route<Row = undefined, Q extends ObjectSchema = Nothing, B extends ObjectSchema = Nothing>(
  definition: RouteParts<Row, Q, B> & Access,
): Route {
  const { handle, subject, query, body, errors = [], ...facts } = definition;
  return {
    ...facts,
    tag: definition.tag ?? definition.scope.split(":", 1)[0]!,
    role: leastRole(definition),
    changes: facts.method !== "get",
    successes: [facts.successes].flat(),
    errors,
    subject,
    query: query ?? NOTHING,
    body,
    async run(ctx, request, found) {
      const row = (subject === "none" ? undefined : (found ?? (await subject.find(ctx, request.params)))) as Row;
      requireStorable(request.params);
      const input = { subject: row, params: request.params, headers: request.headers, method: request.method };
      const answer = await handle(ctx, {
        ...input,
        query: parseObject((query ?? NOTHING) as Q, queryObject(request.query), "query"),
        body: parseObject((body ?? NOTHING) as B, bodyObject(definition, request.body), "body"),
      });
      return answer ?? noContent;
    },
  };
}

function leastRole(access: Access): Route["role"] {
  return access.scope === "unscoped" ? access.role : (access.role ?? LEAST_ROLE[access.scope]);
}

/** Refuses a name that PostgreSQL can't hold: no row has it. @throws SvcError not_found */
function requireStorable(params: Params): void {
  if (Object.values(params).some((value) => value.includes("\0"))) {
    throw new SvcError("not_found", "There is nothing of that name.");
  }
}

/** A parameter that is given twice is an array, which no schema takes. */
function queryObject(query: URLSearchParams): Record<string, unknown> {
  const keys = [...new Set(query.keys())];
  return Object.fromEntries(
    keys.map((key) => {
      const values = query.getAll(key);
      return [key, values.length === 1 ? values[0] : values];
    }),
  );
}

function bodyObject(facts: { body?: ObjectSchema; bodyOptional?: boolean }, body: RequestBody | undefined): unknown {
  const value = body?.value();
  return value === undefined && (facts.bodyOptional || !facts.body) ? {} : value;
}
