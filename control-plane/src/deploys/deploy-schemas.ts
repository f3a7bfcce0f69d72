import { z } from "@hono/zod-openapi";
import { time } from "../platform/http/time-schema.ts";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import { DEPLOY_STATUSES, STEP_STATUSES } from "./deploy.ts";
import { RELEASE_NAME, RELEASE_NAME_LENGTH_MAX } from "./releases/release.ts";

export const DeployRequestSchema = z
  .strictObject({
    ref: z.string().optional().openapi({ description: "branch, tag or SHA; the default branch when omitted" }),
    release: z.string().optional().openapi({
      description: "name of the deploy; `v<N>` when omitted",
      pattern: RELEASE_NAME.source,
      maxLength: RELEASE_NAME_LENGTH_MAX,
    }),
  })
  .openapi("DeployRequest");

export const RollbackRequestSchema = z
  .strictObject({
    release: z
      .string()
      .optional()
      .openapi({ description: "name of a successful release; the one before the current one when omitted" }),
  })
  .openapi("RollbackRequest");

export const DeploySchema = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    app_id: z.string().openapi({ format: "uuid" }),
    user_id: z.string().openapi({ format: "uuid" }),
    deployed_by: z.string().nullable().openapi({
      description:
        "extension; e-mail address of the person who asked for it; null once they are in the app's team no more",
    }),
    status: z.enum(DEPLOY_STATUSES),
    ref: z.string().nullable(),
    release: z.string(),
    commit_sha: z.string().nullable(),
    created_at: time(),
    started_at: time().nullable(),
    finished_at: time().nullable(),
    error: z.string().optional().openapi({ description: "only of a failed deploy" }),
    taken_back: z
      .object({
        at: time(),
        reason: z.string().openapi({
          description: "`exited`, `out_of_memory` or `not_answering`; there may be more",
          example: "exited",
        }),
        detail: z.string().openapi({
          description: "a sentence",
          example:
            "The release was taken back soon after it went live: it ended with exit code 1. The one before it serves again.",
        }),
        exit_code: z.int().nullable().openapi({ description: "null where the container did not end", example: 1 }),
        last_lines: z
          .array(z.string())
          .openapi({ description: "the end of what the app wrote", example: ["Error: no such table: users"] }),
        release: z.string().openapi({ description: "serves instead" }),
        deploy_id: z.string().openapi({ format: "uuid", description: "has made that release" }),
      })
      .optional()
      .openapi({
        description:
          "extension; only of a deploy that succeeded and whose container failed within 30 s: an automatic rollback has led " +
          "the app's hosts back to the release before, as the event `deploy.rolled_back` tells",
      }),
  })
  .openapi("Deploy");

export const DeployStepSchema = z
  .object({
    step_name: z.enum(STEP_NAMES),
    step_order: z.int().openapi({ minimum: 1, maximum: STEP_NAMES.length }),
    status: z.enum(STEP_STATUSES),
    output: z.string().openapi({ description: "the last 64 KiB; of a running step, so far" }),
    started_at: time().nullable(),
    finished_at: time().nullable(),
    error: z.string().optional().openapi({ description: "only of a failed step" }),
  })
  .openapi("DeployStep");
