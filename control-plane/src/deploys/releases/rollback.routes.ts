import { z } from "@hono/zod-openapi";
import { rollBack } from "./roll-back.ts";
import { namedApp } from "../../apps/find-app.ts";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import { RollbackRequestSchema } from "../deploy-schemas.ts";

/** @param closing aborted when the process stops, which a waiting request must not hold up */
export function rollbackRoutes({ closing }: { closing: AbortSignal }) {
  return [
    route({
      method: "post",
      path: "/api/apps/{name}/rollback",
      operationId: "rollBack",
      summary: "Go back to an earlier release",
      description:
        "Starts the release's own image with the environment that it had, and never builds. Answers when it is live; what " +
        "is live keeps serving until then, and also when the rollback fails. The release before the current one is the " +
        "one that was live when the current one was deployed, so a second rollback goes one further back. It runs " +
        "beside what other apps of the server deploy. The images of the last 5 releases that served are kept; others " +
        "can't be gone back to. Naming a release is an extension; the one that is live already is answered at once.",
      scope: "deploys:write",
      subject: namedApp,
      body: RollbackRequestSchema,
      bodyOptional: true,
      successes: success(200, "the release is live", { status: z.literal("rolled_back") }),
      errors: [
        "no_previous_deploy",
        "deploy_in_progress",
        "release_image_gone",
        "canceled",
        "lock_held",
        "app_exited",
        "app_not_listening",
        "app_out_of_memory",
        "database_not_ready",
        "agent_away",
        "route_not_proven",
        "address_block_exhausted",
        "server_memory_full",
        "disk_full",
        "engine_unavailable",
        "proxy_unavailable",
        "step_interrupted",
        "step_timed_out",
      ],
      async handle(ctx, { subject: app, body }) {
        await rollBack(ctx, app, body, closing);
        return json(200, { status: "rolled_back" });
      },
    }),
  ];
}
