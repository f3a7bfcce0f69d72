import { z } from "@hono/zod-openapi";
import { json } from "../../platform/http/answer.ts";
import { route } from "../../platform/http/route.ts";
import { TemplateSchema } from "./template-schema.ts";

export const templateRoutes = [
  route({
    method: "get",
    path: "/api/templates",
    operationId: "listTemplates",
    summary: "List the templates that apps can be created from",
    tag: "templates",
    scope: "apps:read",
    role: "viewer",
    changes: false,
    subject: "none",
    successes: [
      { status: 200, description: "the templates, by slug", schema: z.object({ templates: z.array(TemplateSchema) }) },
    ],
    errors: [],
    async handle(ctx) {
      const templates = ctx.templates.map(({ slug, title, description, framework, port, needsDatabase }) => ({
        slug,
        title,
        description,
        framework,
        port,
        needs_database: needsDatabase,
      }));
      return json(200, { templates });
    },
  }),
];
