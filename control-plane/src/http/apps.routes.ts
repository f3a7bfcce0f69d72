import { z } from "@hono/zod-openapi";
import { createApp } from "../operations/create-app.ts";
import { listApps } from "../operations/list-apps.ts";
import { jsonText } from "./answer.ts";
import { route } from "./route.ts";
import { AppSchema, CreateAppSchema } from "./schemas.ts";
import { integerParameter } from "./validation.ts";

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
    changes: true,
    idempotent: true,
    subject: "none",
    body: CreateAppSchema,
    successes: [{ status: 201, description: "created", schema: z.object({ app: AppSchema }) }],
    errors: ["app_limit", "name_taken", "name_in_use_by_stopped_app"],
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
];
