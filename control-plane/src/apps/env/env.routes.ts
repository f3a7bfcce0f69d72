import { z } from "@hono/zod-openapi";
import { deleteEnv } from "./delete-env.ts";
import { getEnv } from "./get-env.ts";
import { putEnv } from "./put-env.ts";
import { namedApp } from "../find-app.ts";
import { json, noContent } from "../../platform/http/answer.ts";
import { route } from "../../platform/http/route.ts";
import { EnvSchema } from "./env-schema.ts";

const NOTE = "The values apply on the next deploy; the container is not restarted.";

export const envRoutes = [
  route({
    method: "get",
    path: "/api/apps/{name}/env",
    operationId: "getEnv",
    summary: "Read the app's variables, decrypted",
    tag: "env",
    scope: "env:read",
    role: "developer",
    changes: false,
    subject: namedApp,
    successes: [{ status: 200, description: "the variables", schema: z.object({ env: EnvSchema }) }],
    errors: [],
    async handle(ctx, { subject: app }) {
      return json(200, { env: await getEnv(ctx, app) });
    },
  }),
  route({
    method: "put",
    path: "/api/apps/{name}/env",
    operationId: "putEnv",
    summary: "Create or replace variables; the others stay",
    description: NOTE,
    tag: "env",
    scope: "env:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    body: z.strictObject({ env: EnvSchema }).openapi("PutEnv"),
    successes: [{ status: 200, description: "written", schema: z.object({ updated: z.int(), note: z.string() }) }],
    errors: ["env_limit", "reserved_env_key"],
    async handle(ctx, { subject: app, body }) {
      return json(200, { updated: await putEnv(ctx, app, body.env), note: NOTE });
    },
  }),
  route({
    method: "delete",
    path: "/api/apps/{name}/env/{KEY}",
    operationId: "deleteEnv",
    summary: "Delete a variable",
    description: NOTE,
    tag: "env",
    scope: "env:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    params: { KEY: "key of the variable" },
    successes: [{ status: 204, description: "deleted" }],
    errors: [],
    async handle(ctx, { subject: app, params }) {
      await deleteEnv(ctx, app, params["KEY"] ?? "");
      return noContent;
    },
  }),
];
