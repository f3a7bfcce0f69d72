import { readTier } from "./read-tier.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";
import { TierSchema } from "./tier-schema.ts";

export const tierRoutes = [
  route({
    method: "get",
    path: "/api/tier",
    operationId: "readTier",
    summary: "What the caller's tier allows",
    description: "Extension. An app that asks for nothing gets the caps in full.",
    scope: "apps:read",
    subject: "none",
    successes: success(200, "the tier", { tier: TierSchema }),
    handle: async (ctx) => json(200, { tier: await readTier(ctx) }),
  }),
];
