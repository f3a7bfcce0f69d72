import { z } from "@hono/zod-openapi";
import { framework, port } from "../app-schemas.ts";

export const TemplateSchema = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    framework: framework(),
    port: port(),
    needs_database: z.boolean(),
  })
  .openapi("Template");
