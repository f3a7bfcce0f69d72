import type { Context } from "hono";
import { SvcError } from "@svc/shared/errors.ts";
import type { ClientRoute } from "../../accounts/identity/device/device.routes.ts";
import { OAuthError, oauthAnswer } from "../../accounts/identity/device/oauth-error.ts";
import type { Identity } from "../../accounts/identity/identity.ts";
import { toResponse, type Answer } from "../../platform/http/answer.ts";
import { HTTP_ERRORS } from "../../platform/http/errors.ts";
import { readForm } from "../../platform/http/form.ts";
import { readRequestBody } from "../../platform/http/request-body.ts";
import type { RequestEnv } from "../../platform/http/request-env.ts";
import { clientAddress } from "../people/client-address.ts";
import { requireJson } from "../people/own-page.ts";

/** Answers one request of an OAuth client. No cookie is read, so that no page of another site can act for a person. */
export async function serveClient(route: ClientRoute, identity: Identity, c: Context<RequestEnv>): Promise<Response> {
  const event = c.get("event");
  event.route = route.path;
  const { raw } = c.req;
  const visit = {
    requestId: c.get("requestId"),
    address: clientAddress(c),
    session: undefined,
    headers: raw.headers,
  };
  const answer = await route
    .run(identity, visit, {
      form: () => readForm(raw),
      async json() {
        requireJson(raw.headers);
        return (await readRequestBody(raw)).value();
      },
    })
    .catch((error: unknown) => {
      const { code, refusal } = refusalOf(error);
      event.error = code;
      return refusal;
    });
  event.hasId = true;
  const response = toResponse(answer, visit.requestId);
  // RFC 6749, section 5.1, asks for it beside Cache-Control.
  response.headers.set("Pragma", "no-cache");
  return response;
}

/** @throws the error, when it is a fault of ours */
function refusalOf(error: unknown): { code: string; refusal: Answer } {
  if (error instanceof OAuthError) return { code: error.code, refusal: oauthAnswer(error) };
  if (!(error instanceof SvcError) || HTTP_ERRORS[error.code].status >= 500) throw error;
  if (error.code !== "rate_limited") {
    return { code: error.code, refusal: oauthAnswer(new OAuthError("invalid_request", error.message)) };
  }
  const { retryAfterSeconds = 5 } = error;
  const refusal = oauthAnswer(new OAuthError("slow_down", error.message), 429);
  return { code: error.code, refusal: { ...refusal, headers: { "Retry-After": String(retryAfterSeconds) } } };
}
