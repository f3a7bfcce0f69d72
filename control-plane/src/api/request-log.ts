import type { MiddlewareHandler } from "hono";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { REQUEST_ID_HEADER } from "../platform/http/answer.ts";
import type { HttpMetrics } from "./metrics.ts";
import type { RequestEnv } from "../platform/http/request-env.ts";

/** Gives every request its id, and logs and counts it once when it has been answered. */
export function requestLog(log: Logger, metrics: Pick<HttpMetrics, "observe">): MiddlewareHandler<RequestEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    const requestId = newId();
    c.set("requestId", requestId);
    c.set("event", {});
    await next();
    const { route = "none", userId, keyId, error, err, hasId } = c.get("event");
    if (!hasId) c.res.headers.set(REQUEST_ID_HEADER, requestId);
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.observe({ method: c.req.method, route, status: c.res.status, seconds });
    const event = {
      request_id: requestId,
      method: c.req.method,
      path: c.req.path,
      route,
      status: c.res.status,
      duration_ms: Math.round(seconds * 1000),
      ...(userId && { user_id: userId }),
      ...(keyId && { key_id: keyId }),
      ...(error && { error }),
      ...(err !== undefined && { err }),
    };
    // A fault of ours may lead a browser to a page instead.
    if (c.res.status >= 500 || err !== undefined) log.error(event, "request");
    // Probes come every few seconds and say nothing.
    else if (route === "none" || /^\/(api|auth|git)\//.test(route)) log.info(event, "request");
    else log.debug(event, "request");
  };
}
