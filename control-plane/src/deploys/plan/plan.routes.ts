import { z } from "@hono/zod-openapi";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { planRepository, RETRY_AFTER_SECONDS } from "./plan-repository.ts";

const PlanSchema = z
  .object({
    commit_sha: z.string(),
    name: z.string().nullable().openapi({ description: "The name that the spec file gives." }),
    framework: z.string(),
    reason: z.string().openapi({ description: "How the framework was recognised." }),
    port: z.int(),
    start: z.string().nullable().openapi({ description: "The command that starts the app; null: the base image's." }),
    dockerfile: z.union([z.object({ path: z.string() }), z.object({ text: z.string() })]).openapi({
      description: "The path of the repository's own, or the text of the generated one.",
    }),
    notes: z.array(z.string()),
    root: z.string().openapi({ description: "The folder that is built; empty for the top." }),
    spec_file: z.string().nullable(),
    services: z
      .array(z.object({ name: z.string(), version: z.string() }))
      .openapi({ description: "Databases that the spec file asks for, with the major version of PostgreSQL." }),
    env: z.array(z.string()).openapi({ description: "Names of the variables that the spec file lists." }),
  })
  .openapi("Plan");

export function planRoutes() {
  // By person: an agent makes two plans at a time, and nobody is to take both.
  const planning = new Set<string>();
  return [
    route({
      method: "post",
      path: "/api/plan",
      operationId: "planRepository",
      summary: "Say what a deploy of a repository would make",
      description:
        "Extension. Reads the repository and makes nothing: the framework with the reason, the port, the start command and the " +
        "Dockerfile, as a deploy of an app without settings of its own would have them. What such a deploy would be refused for is " +
        "refused here. It takes as long as fetching the repository does, a minute at most.",
      tag: "deploys",
      scope: "apps:write",
      subject: "none",
      body: z
        .strictObject({
          repo_url: z.string().openapi({ format: "uri", example: "https://github.com/you/hello" }),
          ref: z
            .string()
            .optional()
            .openapi({ description: "branch, tag or commit; the default branch when left out" }),
          root: z.string().optional().openapi({ description: "folder of the repository that is built" }),
        })
        .openapi("PlanRequest"),
      successes: success(200, "the plan", PlanSchema),
      errors: [
        "agent_away",
        "agent_too_old",
        "framework_unknown",
        "repository_not_found",
        "repository_needs_credentials",
        "repository_unreachable",
        "repository_too_large",
        "ref_not_found",
        "disk_full",
        "step_timed_out",
      ],
      async handle(ctx, { body }) {
        const { userId } = ctx.actor;
        if (planning.has(userId)) throw alreadyPlanning();
        planning.add(userId);
        try {
          return json(200, await planRepository(ctx, body));
        } finally {
          planning.delete(userId);
        }
      },
    }),
  ];
}

function alreadyPlanning(): SvcError {
  return new SvcError("rate_limited", "A plan of yours is being made already: wait for its end.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
