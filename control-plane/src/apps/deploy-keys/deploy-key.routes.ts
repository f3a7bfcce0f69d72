import { z } from "@hono/zod-openapi";
import { createDeployKey } from "./create-deploy-key.ts";
import { deleteDeployKey } from "./delete-deploy-key.ts";
import { getDeployKey } from "./get-deploy-key.ts";
import { namedApp } from "../find-app.ts";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";

const DeployKeySchema = z
  .object({
    public_key: z.string().openapi({
      description: "OpenSSH, one line: add it to the repository as a read-only deploy key",
      example: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE9f… svc:hello",
    }),
    fingerprint: z.string().openapi({
      description: "as `ssh-keygen -lf` prints it",
      example: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
    }),
    created_at: z.string().openapi({ format: "date-time", description: "ISO 8601, UTC" }),
  })
  .openapi("DeployKey");

/** The fields that the three routes share. */
const common = {
  path: "/api/apps/{name}/deploy-key",
  tag: "deploy-key",
  scope: "unscoped",
  role: "developer",
  subject: namedApp,
  description:
    "Needs a session or an unscoped API key, and a repository of the form https://github.com/<owner>/<repo>. " +
    "While the app has a deploy key, its deploys clone over SSH with that key alone, and accept the git host's pinned host keys alone.",
} as const;

export const deployKeyRoutes = [
  route({
    ...common,
    method: "post",
    operationId: "createDeployKey",
    summary: "Make an ed25519 key pair for the app's private repository",
    successes: success(201, "made; the private key never leaves the service", DeployKeySchema),
    errors: ["deploy_key_exists", "deploy_key_unsupported"],
    handle: async (ctx, { subject: app }) => json(201, await createDeployKey(ctx, app)),
  }),
  route({
    ...common,
    method: "get",
    operationId: "getDeployKey",
    summary: "Read the public key and its fingerprint",
    successes: success(200, "the key", DeployKeySchema),
    errors: ["deploy_key_unsupported"],
    handle: async (ctx, { subject: app }) => json(200, await getDeployKey(ctx, app)),
  }),
  route({
    ...common,
    method: "delete",
    operationId: "deleteDeployKey",
    summary: "Remove the key; later deploys clone without one",
    successes: success(204, "removed"),
    errors: ["deploy_key_unsupported"],
    handle: (ctx, { subject: app }) => deleteDeployKey(ctx, app),
  }),
];
