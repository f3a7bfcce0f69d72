import { z } from "@hono/zod-openapi";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import { framework, port } from "../app-schemas.ts";

const TemplateSchema = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    framework: framework(),
    port: port(),
    needs_database: z.boolean(),
  })
  .openapi("Template");

export const templateRoutes = [
  route({
    method: "get",
    path: "/api/templates",
    operationId: "listTemplates",
    summary: "List the templates that apps can be created from",
    tag: "templates",
    scope: "apps:read",
    subject: "none",
    successes: success(200, "the templates, by slug", { templates: z.array(TemplateSchema) }),
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
