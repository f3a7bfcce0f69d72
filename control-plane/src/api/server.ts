import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { sql } from "kysely";
import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { specJsonSchema } from "@svc/shared/spec/json-schema.ts";
import type { Notifications } from "../ports.ts";
import { toResponse } from "../platform/http/answer.ts";
import { serverRoutes, type ServerRouteParts } from "../operators/servers.routes.ts";
import { operatorMoveRoutes } from "../operators/moves.routes.ts";
import { operatorTeamRoutes } from "../operators/teams.routes.ts";
import { lifecycleRoutes } from "../lifecycle/lifecycle.routes.ts";
import { appRoutes } from "../apps/apps.routes.ts";
import type { EventStreamTiming } from "../deploys/events/deploy-event-stream.ts";
import { deployEventRoutes } from "../deploys/events/deploy-events.routes.ts";
import { deployKeyRoutes } from "../apps/deploy-keys/deploy-key.routes.ts";
import { compareRoutes } from "../deploys/releases/compare.routes.ts";
import { waitingRoutes } from "../deploys/waiting/waiting.routes.ts";
import { planRoutes } from "../deploys/plan/plan.routes.ts";
import { deployRoutes } from "../deploys/deploys.routes.ts";
import { domainRoutes } from "../domains/domains.routes.ts";
import { routeTableRoutes } from "../domains/route-table/route-table.routes.ts";
import { envRoutes } from "../apps/env/env.routes.ts";
import { CLI_PACKAGE_PATH, readCliPackage } from "./cli-package.ts";
import {
  API_REFERENCE_PATH,
  API_REFERENCE_SCRIPT_PATH,
  serveApiReference,
  serveApiReferenceScript,
} from "./api-reference.ts";
import { deviceClientRoutes } from "../accounts/identity/device/device.routes.ts";
import { bearerChallenge, PATHS, resourceMetadata, serverMetadata } from "../accounts/identity/oauth/metadata.ts";
import { oauthClientRoutes } from "../accounts/identity/oauth/oauth.routes.ts";
import { PAGE_FILE_PATH, PAGES, servePage, servePageFile, wantsPage } from "./serve-page.ts";
import { identityRoutes } from "../accounts/identity/identity.routes.ts";
import { errorAnswer, HTTP_ERRORS } from "../platform/http/errors.ts";
import { serveGitRequest } from "./serve-git.ts";
import { createKeyOwners } from "../accounts/keys/key-owners.ts";
import { logRoutes } from "../logs/logs.routes.ts";
import type { HttpMetrics } from "./metrics.ts";
import { JSON_SCHEMA_TYPE, openApiDocument } from "./openapi.ts";
import { personOf, type RequestEnv } from "../platform/http/request-env.ts";
import { repositoryRoutes } from "../repositories/repositories.routes.ts";
import { requestLog } from "./request-log.ts";
import type { Route } from "../platform/http/route.ts";
import { moveRoutes } from "../deploys/moves/moves.routes.ts";
import { rollbackRoutes } from "../deploys/releases/rollback.routes.ts";
import { serveIdentity } from "./people/serve-identity.ts";
import { McpCalls } from "./mcp-calls.ts";
import { MCP_PATH, serveMcp } from "./serve-mcp.ts";
import { serveClient } from "./oauth/serve-client.ts";
import { serveRoute, type RequestParts } from "./serve-route.ts";
import { StreamPlaces } from "../platform/http/stream-places.ts";
import { templateRoutes } from "../apps/templates/templates.routes.ts";
import { activityRoutes } from "../accounts/activity/activity.routes.ts";
import { meRoutes } from "../accounts/me.routes.ts";
import { teamRoutes } from "../accounts/teams/teams.routes.ts";
import { tierRoutes } from "../accounts/tier.routes.ts";
import { chatRoutes } from "../assistant/chat/chat.routes.ts";
import type { ModelConfig, ModelTiming } from "../assistant/chat/model/ask-model.ts";
import { metricsRoutes } from "../metrics/metrics.routes.ts";
import { webhookRoutes } from "../webhooks/webhooks.routes.ts";

export interface ApiParts extends Omit<RequestParts, "keyOwners"> {
  notifications: Notifications;
  /** Counts the requests; read elsewhere (`listenForMetrics`). */
  metrics: Pick<HttpMetrics, "observe">;
  joining: ServerRouteParts["joining"];
  log: Logger;
  /** {base_url}, for the OpenAPI document; read when that is first asked for. */
  readonly baseUrl: string;
  /** Is aborted when the process stops. */
  closing: AbortSignal;
  eventStreamTiming?: EventStreamTiming;
  /** Answers in the chat; without one, a grammar does. */
  model?: ModelConfig | undefined;
  modelTiming?: Partial<ModelTiming>;
}

export type Api = OpenAPIHono<RequestEnv>;

/** The whole HTTP surface, without a socket. */
export function createApi(parts: ApiParts): Api {
  const { db, metrics, log, clock, closing, notifications, eventStreamTiming: timing } = parts;
  const requestParts = { ...parts, keyOwners: createKeyOwners({ db, notifications, clock }) };
  const api = new OpenAPIHono<RequestEnv>();
  const places = new StreamPlaces();
  const calls = new McpCalls();
  const send = async (request: Request, via: string) => api.fetch(request, { via });
  const routes: Route[] = [
    ...appRoutes,
    ...lifecycleRoutes,
    ...metricsRoutes,
    ...logRoutes({ closing, places, ...(timing && { heartbeatMs: timing.heartbeatMs }) }),
    ...templateRoutes,
    ...tierRoutes,
    ...meRoutes,
    ...teamRoutes,
    ...activityRoutes,
    ...serverRoutes(parts),
    ...operatorTeamRoutes(parts),
    ...operatorMoveRoutes,
    ...repositoryRoutes,
    ...envRoutes,
    ...deployRoutes,
    ...planRoutes(),
    ...compareRoutes,
    ...waitingRoutes,
    ...rollbackRoutes({ closing }),
    ...moveRoutes,
    ...deployKeyRoutes,
    ...webhookRoutes,
    ...domainRoutes,
    ...routeTableRoutes,
    ...deployEventRoutes({ db, notifications, places, closing, ...(timing && { timing }) }),
    ...chatRoutes({ ...parts, send, operations: () => routes }),
  ];

  let document: string | undefined;
  const readDocument = () => (document ??= openApiDocument(api, routes, parts.baseUrl));

  api.use(requestLog(log, metrics));
  for (const route of routes) api.on(route.method, honoPath(route.path), (c) => serveRoute(route, requestParts, c));

  for (const route of identityRoutes) {
    api.on(route.method, honoPath(route.path), (c) => serveIdentity(route, parts.identity, c));
  }
  for (const route of clientRoutes) api.post(route.path, (c) => serveClient(route, parts.identity, c));

  api.post(MCP_PATH, (c) =>
    serveMcp(
      {
        ...requestParts,
        routes,
        calls,
        send,
        openApi: readDocument,
      },
      c,
    ).catch((error: unknown) => {
      const response = refuse(c, error);
      if (response.status === 401) {
        response.headers.set("WWW-Authenticate", bearerChallenge(parts.baseUrl, c.req.header("Authorization")));
      }
      return response;
    }),
  );

  api.all("/git/*", (c) => serveGitRequest(requestParts, c));

  publicRoute(api, "/", (c) => (wantsPage(c) ? servePage("home", c) : c.json(INDEX, 200, { Vary: "Accept" })));
  for (const [path, name] of Object.entries(PAGES)) publicRoute(api, path, (c) => servePage(name, c));
  publicRoute(api, PAGE_FILE_PATH, servePageFile);
  publicRoute(api, "/api/openapi.json", (c) => c.body(readDocument(), 200, { "Content-Type": "application/json" }));
  publicRoute(api, API_REFERENCE_PATH, serveApiReference);
  publicRoute(api, API_REFERENCE_SCRIPT_PATH, serveApiReferenceScript);
  publicRoute(api, "/api/spec.schema.json", (c) => c.body(SPEC_SCHEMA, 200, { "Content-Type": JSON_SCHEMA_TYPE }));
  publicRoute(api, CLI_PACKAGE_PATH, async (c) =>
    c.body((await readCliPackage()).bytes, 200, { "Content-Type": "application/gzip" }),
  );
  publicRoute(api, `${CLI_PACKAGE_PATH}.sha256`, async (c) => c.text((await readCliPackage()).checksum));
  for (const path of [PATHS.resource, PATHS.resourceOfHost]) {
    publicRoute(api, path, (c) => c.json(resourceMetadata(parts.baseUrl)));
  }
  publicRoute(api, PATHS.server, (c) => c.json(serverMetadata(parts.baseUrl)));
  publicRoute(api, "/healthz", (c) => c.json({ status: "ok" }));
  publicRoute(api, "/readyz", async (c) => {
    const reached = await sql`select 1`.execute(db).then(
      () => true,
      () => false,
    );
    return reached
      ? c.json({ status: "ready" })
      : c.json({ status: "not_ready", detail: "The database can't be reached." }, 503);
  });

  refuseOtherMethods(api, [
    ...[...routes, ...identityRoutes].map((route) => ({ path: honoPath(route.path), method: route.method })),
    ...clientRoutes.map(({ path }) => ({ path, method: "post" })),
    { path: MCP_PATH, method: "post" },
    ...PUBLIC,
  ]);
  api.notFound((c) =>
    wantsPage(c)
      ? servePage("not-found", c, 404)
      : refuse(c, new SvcError("not_found", "There is nothing at this path.")),
  );
  api.onError((error, c) => refuse(c, error));
  return api;
}

const clientRoutes = [...deviceClientRoutes, ...oauthClientRoutes];

const SPEC_SCHEMA = JSON.stringify(specJsonSchema());

const INDEX = {
  docs: API_REFERENCE_PATH,
  openapi: "/api/openapi.json",
  spec_schema: "/api/spec.schema.json",
  cli: CLI_PACKAGE_PATH,
};

const PUBLIC = [
  "/",
  PATHS.resource,
  PATHS.resourceOfHost,
  PATHS.server,
  ...Object.keys(PAGES),
  PAGE_FILE_PATH,
  ...Object.values(INDEX),
  API_REFERENCE_SCRIPT_PATH,
  `${CLI_PACKAGE_PATH}.sha256`,
  "/healthz",
  "/readyz",
].map((path) => ({ path, method: "get" }));

function publicRoute(api: Api, path: string, handler: (c: Context<RequestEnv>) => Response | Promise<Response>): void {
  api.get(path, (c) => {
    c.get("event").route = path;
    return handler(c);
  });
}

/** /api/apps/{name} as Hono writes it: /api/apps/:name. */
function honoPath(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, ":$1");
}

/** Refuses requests that have the path of a route, but none of its methods. */
function refuseOtherMethods(api: Api, routes: readonly { path: string; method: string }[]): void {
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    const methods = group.map((route) => route.method.toUpperCase());
    const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", ");
    api.all(path, (c) => {
      const error = new SvcError("method_not_allowed", `This path has ${allowed}, not ${c.req.method}.`);
      const response = refuse(c, error);
      response.headers.set("Allow", allowed);
      return response;
    });
  }
}

function refuse(c: Context<RequestEnv>, cause: unknown): Response {
  const error = toSvcError(cause);
  const event = c.get("event");
  event.error = error.code;
  // The client learns only the kind of a fault of ours; its cause is for the operator.
  if (HTTP_ERRORS[error.code].status >= 500) event.err = cause;
  const requestId = c.get("requestId");
  event.hasId = true;
  return toResponse(errorAnswer(error, requestId), requestId, personOf(c.get("event")));
}
