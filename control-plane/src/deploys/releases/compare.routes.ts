import { z } from "@hono/zod-openapi";
import { namedApp } from "../../apps/find-app.ts";
import { time } from "../../platform/http/time-schema.ts";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import { compareReleases } from "./compare-releases.ts";

const ComparedSchema = z.object({
  release: z.string(),
  deploy_id: z.string(),
  commit_sha: z.string(),
  image_digest: z.string(),
  framework: z.string(),
  port: z.int(),
  deployed_by: z.string().nullable().openapi({
    description: "e-mail address of the person who asked for it; null once they are in the app's team no more",
  }),
  deployed_at: z.string().nullable().openapi({ format: "date-time", description: "the end of its deploy" }),
});

const ComparisonSchema = z
  .object({
    from: ComparedSchema.nullable(),
    to: ComparedSchema.nullable(),
    env: z.object({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
      written_at: time().nullable().openapi({
        description: "when one of the stored variables was last written; null without any, and between two releases",
      }),
    }),
  })
  .openapi("Comparison");

export const compareRoutes = [
  route({
    method: "get",
    path: "/api/apps/{name}/changes",
    operationId: "compareReleases",
    summary: "Say what differs between two releases, or what the next deploy brings",
    description:
      "Extension. `from` is the release that serves when left out, `to` the next deploy: its variables are those that are " +
      "stored now. Of variables, names alone are told, and none that the platform sets for each release.",
    scope: "deploys:read",
    subject: namedApp,
    query: z.strictObject({
      from: z.string().optional().openapi({ description: "name of a release" }),
      to: z.string().optional().openapi({ description: "name of a release" }),
    }),
    successes: success(
      200,
      "the differences; `from` is null where nothing was deployed, `to` is null for the next deploy",
      ComparisonSchema,
    ),
    handle: async (ctx, { subject: app, query }) => json(200, await compareReleases(ctx, app, query)),
  }),
];
