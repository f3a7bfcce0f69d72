import { hash } from "node:crypto";
import type { Context } from "hono";
import { SvcError } from "@svc/shared/errors.ts";
import type { OperationContext } from "../platform/operation.ts";
import { takeToken } from "../accounts/take-token.ts";
import { requireAppPermission } from "../accounts/require-app-permission.ts";
import { toResponse, type Answer } from "../platform/http/answer.ts";
import { type Caller, requireRole, requireScope, requireVerifiedEmail } from "../accounts/authenticate.ts";
import { requireOperator } from "../accounts/operators/require-operator.ts";
import { endWithKey } from "./end-with-key.ts";
import { identifyCaller, type CallerParts } from "./people/identify-caller.ts";
import { answerOnce, checkIdempotencyKey, refuseResent } from "../platform/http/idempotency.ts";
import type { IdempotencyScope } from "../platform/http/idempotency.store.ts";
import { readRequestBody, type RequestBody } from "../platform/http/request-body.ts";
import { personOf, type RequestEnv } from "../platform/http/request-env.ts";
import { takesBody, type Params, type RawRequest, type Route } from "../platform/http/route.ts";

const IDEMPOTENT_PATH_BYTES_MAX = 1024;

/** The parts that a process gives to every request. */
export type RequestParts = Omit<OperationContext, "actor" | "requestId"> & CallerParts;

/** Answers one request; the order of the checks is the same for every route. */
export async function serveRoute(route: Route, parts: RequestParts, c: Context<RequestEnv>): Promise<Response> {
  c.get("event").route = route.path;
  const caller = await identifyCaller(parts, c, route);
  Object.assign(c.get("event"), { userId: caller.userId, keyId: caller.keyId });
  // Before all else: whoever is no operator learns nothing of what operators can do.
  if (route.role === "operator") await requireOperator(parts.db, caller, route);
  requireScope(caller, route.scope);
  if (route.changes) requireVerifiedEmail(caller);

  const params = c.req.param();
  // Asking for the signal makes the server build the whole request: few operations need it.
  const gone = () => c.req.raw.signal;
  const asked: OperationContext = { ...parts, actor: caller, via: c.env?.via, requestId: c.get("requestId"), gone };
  const found = await findInTeams(asked, route, params);
  const actor = { ...caller, teamId: found?.teamId ?? caller.teamId };
  if (route.role !== "operator") requireRole(actor, route.role);
  const ctx = { ...asked, actor };
  const request: RawRequest = {
    params,
    query: queryOf(c.req.url),
    body: takesBody(route) ? await readRequestBody(c.req.raw) : undefined,
    headers: c.req.raw.headers,
    method: c.req.method,
  };
  const made = route.subject === "none" ? nameInBody(request.body) : undefined;
  if (made !== undefined) requireAppPermission(ctx, made);
  await refuseOtherApps(ctx, route, request);
  const sent = c.req.header("Idempotency-Key");
  const key = route.idempotent ? sent : undefined;
  if (route.changes && !route.idempotent && caller.keyId === undefined && sent !== undefined)
    await refuseResent(ctx.db, scopeOf(caller, c, sent));
  const count = () => takeToken(ctx, route.changes && !route.countsAsRead ? "writes" : "reads", caller.tier);
  const answer =
    key === undefined
      ? await count().then(() => route.run(ctx, request, found?.row))
      : await runOnce(route, ctx, request, c, key, count);
  if (answer instanceof Response) {
    const authorize = async (): Promise<Caller> => {
      const again = await identifyCaller(parts, c, { changes: false });
      if (route.role === "operator") await requireOperator(parts.db, again, route);
      else requireRole({ ...again, teamId: actor.teamId }, route.role);
      // The app may be another team's by now.
      if (route.subject !== "none") await route.subject.find(ctx, params);
      return again;
    };
    return endWithKey(answer, { caller, authorize, onChange: parts.keyOwners.onChange });
  }
  c.get("event").hasId = true;
  return toResponse(answer, ctx.requestId, personOf(c.get("event")));
}

/** What a request is about is owned by one of its sender's teams; only a session has several. */
async function findInTeams(ctx: OperationContext, { subject }: Route, params: Params) {
  return subject === "none" || ctx.actor.teams.length === 1 ? undefined : subject.findInTeams(ctx, params);
}

/**
 * Before the request is counted, and before an answer that is stored for another of the user's keys could be replayed. That
 * there is none of that name is said later, when it was counted.
 */
async function refuseOtherApps(ctx: OperationContext, route: Route, { params }: RawRequest): Promise<void> {
  try {
    if (route.subject !== "none") await route.subject.requirePermission(ctx, params);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "not_found") throw error;
  }
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start).replace(/#.*$/s, ""));
}

async function runOnce(
  route: Route,
  ctx: OperationContext,
  request: RawRequest,
  c: Context<RequestEnv>,
  key: string,
  count: () => Promise<void>,
): Promise<Answer> {
  checkIdempotencyKey(key);
  const scope = scopeOf(ctx.actor, c, key);
  const bodyHash = hashOf(request, ctx.actor);
  return answerOnce(ctx.db, scope, bodyHash, ctx.requestId, count, async (tx) => {
    const answer = await route.run({ ...ctx, db: tx }, request);
    if (answer instanceof Response) throw new Error(`${route.operationId} streams, so it can't be idempotent`);
    return answer;
  });
}

/** @throws SvcError not_found for a path that is too long */
function scopeOf({ userId }: Pick<Caller, "userId">, c: Context<RequestEnv>, key: string): IdempotencyScope {
  // The path is part of an index, whose entries are limited to some 2,700 bytes; no route of ours is that long.
  if (Buffer.byteLength(c.req.path) > IDEMPOTENT_PATH_BYTES_MAX) {
    throw new SvcError("not_found", "There is nothing at this path: it is longer than any that this API has.");
  }
  return { userId, method: c.req.method, path: new URL(c.req.url).pathname, key };
}

/** The same request for another team is another request: its answer is not replayed to those of this one. */
function hashOf({ body }: RawRequest, { userId, teamId }: OperationContext["actor"]): Buffer {
  const bytes = body?.hash() ?? Buffer.alloc(0);
  return teamId === userId ? bytes : hash("sha256", Buffer.concat([bytes, Buffer.from(teamId)]), "buffer");
}

/**
 * Reads the name of what a request makes; undefined when it names nothing, or its body is wrong, which a later check
 * reports.
 */
function nameInBody(body: RequestBody | undefined): string | undefined {
  try {
    const value = body?.value();
    return typeof value === "object" && value !== null && "name" in value ? String(value.name) : undefined;
  } catch {
    return undefined;
  }
}
