import type { Context } from "hono";
import type { OperationContext } from "../operations/context.ts";
import { takeWrite } from "../operations/take-write.ts";
import { toResponse, type Answer } from "./answer.ts";
import { authenticate, requireScope, requireVerifiedEmail } from "./auth.ts";
import { answerOnce, checkIdempotencyKey } from "./idempotency.ts";
import { readRequestBody } from "./request-body.ts";
import type { RequestEnv } from "./request-env.ts";
import type { RawRequest, Route } from "./route.ts";

/** What a process gives to every request. */
export type RequestParts = Omit<OperationContext, "actor" | "requestId">;

/** Answers one request; the order of the checks is the same for every route (decisions, Order of checks). */
export async function serveRoute(route: Route, parts: RequestParts, c: Context<RequestEnv>): Promise<Response> {
  c.get("event").route = route.path;
  const caller = await authenticate(parts.db, c.req.header("Authorization"));
  Object.assign(c.get("event"), { userId: caller.userId, keyId: caller.keyId });
  requireScope(caller, route.scope);
  if (route.changes) requireVerifiedEmail(caller);

  const ctx: OperationContext = { ...parts, actor: caller, requestId: c.get("requestId") };
  const request: RawRequest = {
    params: c.req.param(),
    query: new URL(c.req.url).searchParams,
    body: route.body && (await readRequestBody(c.req.raw)),
    headers: c.req.raw.headers,
    method: c.req.method,
  };
  const key = route.idempotent ? c.req.header("Idempotency-Key") : undefined;
  const countWrite = async () => {
    if (route.changes) await takeWrite(ctx, caller.tier);
  };
  const answer =
    key === undefined
      ? await countWrite().then(() => route.run(ctx, request))
      : await runOnce(route, ctx, request, c, key, countWrite);
  return answer instanceof Response ? answer : toResponse(answer);
}

async function runOnce(
  route: Route,
  ctx: OperationContext,
  request: RawRequest,
  c: Context<RequestEnv>,
  key: string,
  countWrite: () => Promise<void>,
): Promise<Answer> {
  checkIdempotencyKey(key);
  const scope = { userId: ctx.actor.userId, method: c.req.method, path: new URL(c.req.url).pathname, key };
  const bodyHash = request.body?.hash ?? Buffer.alloc(0);
  return answerOnce(ctx.db, scope, bodyHash, ctx.requestId, countWrite, async (tx) => {
    const answer = await route.run({ ...ctx, db: tx }, request);
    if (answer instanceof Response) throw new Error(`${route.operationId} streams, so it can't be idempotent`);
    return answer;
  });
}
