import { z } from "@hono/zod-openapi";
import { readAppJson } from "./app-json.ts";
import { appUrlSuffix } from "../fleet/app-url.ts";
import { createApp } from "./create-app.ts";
import { listApps } from "./list-apps.ts";
import { patchApp } from "./patch-app.ts";
import { namedApp } from "./find-app.ts";
import { jsonText } from "../platform/http/answer.ts";
import { route } from "../platform/http/route.ts";
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
    tag: "apps",
    scope: "apps:write",
    role: "developer",
    changes: true,
    idempotent: true,
    subject: "none",
    body: CreateAppSchema,
    successes: [{ status: 201, description: "created", schema: z.object({ app: AppSchema }) }],
    errors: [
      "app_limit",
      "name_taken",
      "name_in_use_by_stopped_app",
      "template_unknown",
      "template_provisioning_failed",
    ],
    async handle(ctx, { body }) {
      return jsonText(201, `{"app":${await createApp(ctx, body)}}`);
    },
  }),
  route({
    method: "get",
    path: "/api/apps",
    operationId: "listApps",
    summary: "List the caller's apps, oldest first",
    description: "All of them, unless `limit` asks for pages; `next_cursor` is there when another page follows.",
    tag: "apps",
    scope: "apps:read",
    role: "viewer",
    changes: false,
    subject: "none",
    query: z.strictObject({
      limit: integerParameter({ min: 1, max: PAGE_SIZE_MAX }).openapi({
        type: "integer",
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
      }),
      cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
    }),
    successes: [
      {
        status: 200,
        description: "the apps",
        schema: z.object({ apps: z.array(AppSchema), next_cursor: z.string().optional() }),
      },
    ],
    errors: [],
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
    tag: "apps",
    scope: "apps:read",
    role: "viewer",
    changes: false,
    subject: namedApp,
    successes: [{ status: 200, description: "the app", schema: z.object({ app: AppSchema }) }],
    errors: [],
    async handle(ctx, { subject: app }) {
      const json = await readAppJson(ctx.db, ctx.actor.teamId, app.id, appUrlSuffix(ctx.platform));
      return jsonText(200, `{"app":${json}}`);
    },
  }),
  route({
    method: "patch",
    path: "/api/apps/{name}",
    operationId: "patchApp",
    summary: "Change the app's settings for its next deploy",
    description: "At least one of the properties; they take effect on the next deploy.",
    tag: "apps",
    scope: "apps:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    body: PatchAppSchema,
    successes: [{ status: 200, description: "the app as persisted", schema: z.object({ app: AppSchema }) }],
    errors: [],
    async handle(ctx, { subject: app, body }) {
      return jsonText(200, `{"app":${await patchApp(ctx, app, body)}}`);
    },
  }),
];
