import { z } from "@hono/zod-openapi";
import { namedApp } from "../../apps/find-app.ts";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import { time } from "../../platform/http/time-schema.ts";
import { readWaitingDeploy } from "./read-waiting-deploy.ts";
import { WAIT_REASONS } from "./waits-for.ts";

const WaitingDeploySchema = z
  .object({
    deploy_id: z.string().openapi({ format: "uuid" }),
    release: z.string(),
    status: z.enum(["pending", "running"]),
    since: time().openapi({ description: "when it was asked for; of one that runs, when the agent was heard of last" }),
    waits_for: z.enum(WAIT_REASONS).openapi({
      description:
        "`no_server`: no server that the app may live on has joined; `all_drained`: none of them takes new apps; `no_room`: none " +
        "has memory for another app; `server_away`: the agent of the app's server is not there; `deploy_ahead`: another deploy " +
        "runs on that server, or comes first; `next`: it begins at once",
    }),
    ahead: z.string().nullable().openapi({
      description: "with `deploy_ahead`, the app whose deploy that is; null for one that the caller may not see",
      example: null,
    }),
    detail: z.string().openapi({
      description: "`waits_for` in a sentence",
      example: "Every server is drained and takes no new apps. The deploy begins when one takes them again.",
    }),
  })
  .openapi("WaitingDeploy");

export const waitingRoutes = [
  route({
    method: "get",
    path: "/api/apps/{name}/deploys/waiting",
    operationId: "readWaitingDeploy",
    summary: "Read the app's deploy that waits, and what it waits for",
    description:
      "Extension. It is still to begin, and not in the list of deploys yet; or it has begun, and its server is away.",
    scope: "deploys:read",
    subject: namedApp,
    successes: success(200, "the deploy; null when none waits", { waiting: WaitingDeploySchema.nullable() }),
    handle: async (ctx, { subject: app }) => json(200, { waiting: await readWaitingDeploy(ctx, app) }),
  }),
];
