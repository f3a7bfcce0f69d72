import { z } from "@hono/zod-openapi";
import { deleteEnv } from "./delete-env.ts";
import { getEnv } from "./get-env.ts";
import { readEnvNames } from "./env-vars.store.ts";
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
    description: "Extension: `sealed` names the variables whose values nobody reads; absent where there are none.",
    tag: "env",
    scope: "env:read",
    role: "developer",
    changes: false,
    subject: namedApp,
    successes: [
      {
        status: 200,
        description: "the variables",
        schema: z.object({ env: EnvSchema, sealed: z.array(z.string()).optional() }),
      },
    ],
    errors: [],
    async handle(ctx, { subject: app }) {
      const { env, sealed } = await getEnv(ctx, app);
      return json(200, sealed.length === 0 ? { env } : { env, sealed });
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/variables",
    operationId: "listVariables",
    summary: "List the names of the app's variables",
    description: "Extension. Values are read with `GET /api/apps/{name}/env`, which the activity notes.",
    tag: "env",
    scope: "apps:read",
    role: "viewer",
    changes: false,
    subject: namedApp,
    successes: [
      {
        status: 200,
        description: "the names, in their order",
        schema: z.object({ variables: z.array(z.object({ name: z.string(), sealed: z.boolean() })) }),
      },
    ],
    errors: [],
    handle: async (ctx, { subject: app }) => json(200, { variables: await readEnvNames(ctx.db, app.id) }),
  }),
  route({
    method: "put",
    path: "/api/apps/{name}/env",
    operationId: "putEnv",
    summary: "Create or replace variables; the others stay",
    description:
      `${NOTE} Extension: \`sealed\` names variables, of these or of the app's others, whose values nobody reads any more: ` +
      "the app gets them, and a new value may be set. A variable that is sealed stays so until it is deleted.",
    tag: "env",
    scope: "env:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    body: z.strictObject({ env: EnvSchema, sealed: z.array(z.string()).optional() }).openapi("PutEnv"),
    successes: [{ status: 200, description: "written", schema: z.object({ updated: z.int(), note: z.string() }) }],
    errors: ["env_limit", "reserved_env_key"],
    async handle(ctx, { subject: app, body }) {
      return json(200, { updated: await putEnv(ctx, app, body), note: NOTE });
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
