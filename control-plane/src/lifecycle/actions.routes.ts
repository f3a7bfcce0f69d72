import { z } from "@hono/zod-openapi";
import { actOnApp, APP_ACTIONS } from "./act-on-app.ts";
import { namedApp } from "../apps/find-app.ts";
import { json } from "../platform/http/answer.ts";
import { route } from "../platform/http/route.ts";

export const actionRoutes = [
  route({
    method: "post",
    path: "/api/apps/{name}/action",
    operationId: "actOnApp",
    summary: "Start, stop or restart the app",
    description:
      "The container and its volumes are kept; a stopped app answers 503. It is refused while any deploy runs on the app's server.",
    tag: "apps",
    scope: "deploys:write",
    changes: true,
    subject: namedApp,
    body: z
      .strictObject({ action: z.enum(APP_ACTIONS, `it must be one of ${APP_ACTIONS.join(", ")}.`) })
      .openapi("AppAction"),
    successes: [
      {
        status: 200,
        description: "done",
        schema: z.object({ app: z.string(), action: z.enum(APP_ACTIONS), status: z.literal("ok") }),
      },
    ],
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
