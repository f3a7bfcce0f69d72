import { z } from "@hono/zod-openapi";
import { actOnApp, APP_ACTIONS } from "./act-on-app.ts";
import { deleteApp } from "./delete-app.ts";
import { handOverApp } from "./hand-over-app.ts";
import { namedApp } from "../apps/find-app.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";

export const lifecycleRoutes = [
  route({
    method: "delete",
    path: "/api/apps/{name}",
    operationId: "deleteApp",
    summary: "Stop the app and remove it from its server",
    description:
      "A soft stop: record, name and database are kept, and the next deploy revives the app. With `purge=1` the record goes " +
      "too and the name is free; a last dump of the database stays on the host for 7 days. A deploy of the app that runs is " +
      "canceled first. While the server's agent is away the removal is noted down and done when it is back.",
    scope: "apps:write",
    role: "owner",
    subject: namedApp,
    query: z.strictObject({
      purge: z.enum(["0", "1"], "it must be 0 or 1.").optional().openapi({ description: "1 deletes the record too" }),
    }),
    successes: success(204, "done, or noted down"),
    errors: ["deploy_in_progress", "database_dump_failed", "engine_unavailable", "proxy_unavailable", "disk_full"],
    handle: (ctx, { subject: app, query }) => deleteApp(ctx, app, { purge: query.purge === "1" }),
  }),
  route({
    method: "post",
    path: "/api/apps/{name}/hand-over",
    operationId: "handOverApp",
    summary: "Give the app to another team",
    description:
      "Extension. The caller is at least developer there. The app goes on serving, with its releases, variables, domains and " +
      "webhooks. Its repository on the platform's git host goes with it, and has the new address in `git_repo`; the TXT records of " +
      "its domains have another value from now on. Keys of the former team reach it no more.",
    tag: "apps",
    scope: "unscoped",
    role: "owner",
    subject: namedApp,
    body: z.strictObject({ team: z.string().openapi({ format: "uuid" }) }).openapi("HandOver"),
    successes: success(204, "given"),
    errors: ["app_limit", "name_taken", "deploy_in_progress"],
    handle: (ctx, { subject: app, body }) => handOverApp(ctx, app, body.team),
  }),
  route({
    method: "post",
    path: "/api/apps/{name}/action",
    operationId: "actOnApp",
    summary: "Start, stop or restart the app",
    description:
      "The container and its volumes are kept; a stopped app answers 503. It is refused while any deploy runs on the app's server.",
    tag: "apps",
    scope: "deploys:write",
    subject: namedApp,
    body: z
      .strictObject({ action: z.enum(APP_ACTIONS, `it must be one of ${APP_ACTIONS.join(", ")}.`) })
      .openapi("AppAction"),
    successes: success(200, "done", { app: z.string(), action: z.enum(APP_ACTIONS), status: z.literal("ok") }),
    errors: [
      "deploy_in_progress",
      "never_deployed",
      "agent_away",
      "database_not_ready",
      "app_not_listening",
      "server_memory_full",
    ],
    async handle(ctx, { subject: app, body: { action } }) {
      await actOnApp(ctx, app, action);
      return json(200, { app: app.name, action, status: "ok" });
    },
  }),
];
