import type { Context } from "hono";
import { toSvcError } from "@svc/shared/errors.ts";
import type { IdentityAnswer, IdentityRoute } from "../../accounts/identity/identity-route.ts";
import type { Identity } from "../../accounts/identity/identity.ts";
import { limitAttempts } from "../../accounts/identity/attempts/limit-attempts.ts";
import { noContent, redirect, toResponse } from "../../platform/http/answer.ts";
import { HTTP_ERRORS } from "../../platform/http/errors.ts";
import { refuseResent } from "../../platform/http/idempotency.ts";
import { readRequestBody } from "../../platform/http/request-body.ts";
import type { RequestEnv } from "../../platform/http/request-env.ts";
import { parseObject } from "../../platform/http/validation.ts";
import { clientAddress } from "./client-address.ts";
import { requireJson, requireNamedPerson, requireOwnOrigin, requireOwnPage } from "./own-page.ts";

/** Answers one request of a person's browser; the order of the checks is the same for every route. */
export async function serveIdentity(
  route: IdentityRoute,
  identity: Identity,
  c: Context<RequestEnv>,
): Promise<Response> {
  c.get("event").route = route.path;
  return answer(route, identity, c).catch((cause: unknown) => {
    const { code } = toSvcError(cause);
    if (route.faultPage === undefined || HTTP_ERRORS[code].status < 500) throw cause;
    Object.assign(c.get("event"), { error: code, err: cause, hasId: true });
    const response = toResponse(redirect(route.faultPage), c.get("requestId"));
    response.headers.set("Cache-Control", "no-store");
    return response;
  });
}

async function answer(route: IdentityRoute, identity: Identity, c: Context<RequestEnv>): Promise<Response> {
  const { headers } = c.req.raw;
  const address = clientAddress(c);
  const changes = route.method !== "get";
  if (changes) {
    requireOwnOrigin(headers, identity.baseUrl);
    requireJson(headers);
    await limitAttempts(identity.db, "address", address);
  }
  const session = await identity.readSession(headers);
  if (session) {
    c.get("event").userId = session.userId;
    requireNamedPerson(headers, session);
    // A provider's page leads the browser back.
    if (route.faultPage === undefined) requireOwnPage(headers, identity.baseUrl);
  }

  const key = headers.get("Idempotency-Key");
  if (changes && session && key !== null) {
    const { userId } = session;
    await refuseResent(identity.db, { userId, method: c.req.method, path: route.path, key });
  }
  const given = changes ? (await readRequestBody(c.req.raw)).value() : undefined;
  const body = parseObject(route.body, given === undefined ? {} : given, "body");
  const visit = { requestId: c.get("requestId"), address, session, headers };
  const { method } = c.req;
  const request = { visit, method, params: c.req.param(), query: c.req.query(), body };
  const answer: IdentityAnswer = (await route.run(identity, request)) ?? noContent;
  const { cookie, ...rest } = answer;
  c.get("event").hasId = true;
  const response = toResponse(rest, visit.requestId, session?.userId);
  for (const each of [cookie ?? []].flat()) response.headers.append("Set-Cookie", each);
  return response;
}
