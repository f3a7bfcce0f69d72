import { z } from "@hono/zod-openapi";
import { readAppJson } from "./app-json.ts";
import { appUrlSuffix } from "../fleet/app-url.ts";
import { createApp } from "./create-app.ts";
import { listApps } from "./list-apps.ts";
import { patchApp } from "./patch-app.ts";
import { namedApp } from "./find-app.ts";
import { jsonText } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";
import { AppSchema, CreateAppSchema, PatchAppSchema } from "./app-schemas.ts";
import { integerParameter } from "../platform/http/validation.ts";

/** A page of this many apps is still a small answer. */
const PAGE_SIZE_MAX = 1000;

export const appRoutes = [
  route({
    method: "post",
    path: "/api/apps",
    operationId: "createApp",
    summary: "Register an app",
    scope: "apps:write",
    idempotent: true,
    subject: "none",
    body: CreateAppSchema,
    successes: success(201, "created", { app: AppSchema }),
    errors: [
      "app_limit",
      "name_taken",
      "name_in_use_by_stopped_app",
      "template_unknown",
      "template_provisioning_failed",
    ],
    handle: async (ctx, { body }) => jsonText(201, `{"app":${await createApp(ctx, body)}}`),
  }),
  route({
    method: "get",
    path: "/api/apps",
    operationId: "listApps",
    summary: "List the caller's apps, oldest first",
    description: "All of them, unless `limit` asks for pages; `next_cursor` is there when another page follows.",
    scope: "apps:read",
    subject: "none",
    query: z.strictObject({
      limit: integerParameter({ min: 1, max: PAGE_SIZE_MAX }),
      cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
    }),
    successes: success(200, "the apps", { apps: z.array(AppSchema), next_cursor: z.string().optional() }),
    async handle(ctx, { query }) {
      const { json, next } = await listApps(ctx, query);
      const cursor = next === undefined ? "" : `,"next_cursor":${JSON.stringify(next)}`;
      return jsonText(200, `{"apps":${json}${cursor}}`);
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}",
    operationId: "readApp",
    summary: "Read one app",
    description: "As in the list.",
    scope: "apps:read",
    subject: namedApp,
    successes: success(200, "the app", { app: AppSchema }),
    async handle(ctx, { subject: app }) {
      const json = await readAppJson(ctx.db, ctx.actor.teamId, app, appUrlSuffix(ctx.platform));
      return jsonText(200, `{"app":${json}}`);
    },
  }),
  route({
    method: "patch",
    path: "/api/apps/{name}",
    operationId: "patchApp",
    summary: "Change the app's settings for its next deploy",
    description: "At least one of the properties; they take effect on the next deploy.",
    scope: "apps:write",
    subject: namedApp,
    body: PatchAppSchema,
    successes: success(200, "the app as persisted", { app: AppSchema }),
    handle: async (ctx, { subject: app, body }) => jsonText(200, `{"app":${await patchApp(ctx, app, body)}}`),
  }),
];
