import { z } from "@hono/zod-openapi";
import { readTier } from "./read-tier.ts";
import { json } from "../platform/http/answer.ts";
import { route } from "../platform/http/route.ts";
import { TierSchema } from "./tier-schema.ts";

export const tierRoutes = [
  route({
    method: "get",
    path: "/api/tier",
    operationId: "readTier",
    summary: "What the caller's tier allows",
    description: "Extension. An app that asks for nothing gets the caps in full.",
    tag: "apps",
    scope: "apps:read",
    role: "viewer",
    changes: false,
    subject: "none",
    successes: [{ status: 200, description: "the tier", schema: z.object({ tier: TierSchema }) }],
    errors: [],
    async handle(ctx) {
      return json(200, { tier: await readTier(ctx) });
    },
  }),
];
