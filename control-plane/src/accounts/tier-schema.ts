import { z } from "@hono/zod-openapi";

export const TierSchema = z
  .object({
    name: z.string().openapi({ example: "free" }),
    apps: z.int().openapi({ description: "apps at most, soft-stopped ones included", example: 3 }),
    memory: z.string().openapi({
      description: "that an app's container may have, written as `resources.memory` of a spec file",
      example: "512m",
    }),
    cpus: z.string().openapi({ description: "the same of CPUs", example: "1" }),
  })
  .openapi("Tier");
