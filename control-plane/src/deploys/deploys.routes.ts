import { z } from "@hono/zod-openapi";
import { cancelDeploy } from "./cancel-deploy.ts";
import { listDeploys } from "./list-deploys.ts";
import { readDeployWithSteps } from "./read-deploy.ts";
import { startDeploy } from "./start-deploy.ts";
import { namedApp } from "../apps/find-app.ts";
import { namedDeploy } from "./find-deploy.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";
import { DeployRequestSchema, DeploySchema, DeployStepSchema } from "./deploy-schemas.ts";
import { integerParameter } from "../platform/http/validation.ts";

/** The number of deploys in one page. */
const LIST_SIZE = { min: 1, max: 100, default: 20 };

export const deployRoutes = [
  route({
    method: "post",
    path: "/api/apps/{name}/deploy",
    operationId: "startDeploy",
    summary: "Start a deploy",
    description:
      "A soft-stopped app is revived. A queued deploy appears in the app's list when its run starts. Without a " +
      "`release` the deploy is called `v<N>`: N counts the app's deploys, and goes on to the next name that is free.",
    scope: "deploys:write",
    idempotent: true,
    subject: namedApp,
    body: DeployRequestSchema,
    bodyOptional: true,
    successes: success(
      202,
      "it runs; or, without `deploy_id`, it waits for another deploy on its server",
      z
        .object({ status: z.enum(["running", "queued"]), deploy_id: z.string().optional() })
        .openapi({ example: { deploy_id: "0198c0de-7a11-7000-8000-000000000001", status: "running" } }),
    ),
    errors: ["no_repository", "deploy_in_progress", "release_in_use"],
    async handle(ctx, { subject: app, body }) {
      const started = await startDeploy(ctx, app, body);
      if (started.status === "queued") return json(202, { status: "queued" });
      return json(202, { deploy_id: started.deployId, status: "running" });
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/deploys",
    operationId: "listDeploys",
    summary: "List the app's deploys that have started, newest first",
    description: "`next_cursor` is there when older ones follow; asking with `cursor` is an extension.",
    scope: "deploys:read",
    subject: namedApp,
    query: z.strictObject({
      limit: integerParameter(LIST_SIZE),
      cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
    }),
    successes: success(200, "the deploys", { deploys: z.array(DeploySchema), next_cursor: z.string().optional() }),
    async handle(ctx, { subject: app, query }) {
      const { limit = LIST_SIZE.default, cursor } = query;
      const { deploys, next } = await listDeploys(ctx, app, { limit, cursor });
      return json(200, { deploys, ...(next === undefined ? {} : { next_cursor: next }) });
    },
  }),
  route({
    method: "get",
    path: "/api/deploys/{id}",
    operationId: "readDeploy",
    summary: "Read a deploy with its four steps in order",
    scope: "deploys:read",
    subject: namedDeploy,
    successes: success(200, "the deploy", { deploy: DeploySchema, steps: z.array(DeployStepSchema) }),
    handle: async (ctx, { subject: deploy }) => json(200, await readDeployWithSteps(ctx, deploy)),
  }),
  route({
    method: "post",
    path: "/api/deploys/{id}/cancel",
    operationId: "cancelDeploy",
    summary: "Cancel a deploy",
    description:
      "Extension. A deploy that waits is canceled at once; one that runs is stopped and what it did is taken back, and " +
      "then its status is `canceled`: it never becomes `success` or `failed`.",
    scope: "deploys:write",
    subject: namedDeploy,
    successes: success(202, "it is canceled, or being canceled; asking again meanwhile is answered the same", {
      deploy_id: z.string(),
      status: z.enum(["canceled", "canceling"]),
    }),
    errors: ["deploy_finished"],
    async handle(ctx, { subject: deploy }) {
      return json(202, { deploy_id: deploy.id, status: await cancelDeploy(ctx, deploy) });
    },
  }),
];
