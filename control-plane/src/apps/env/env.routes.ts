import { z } from "@hono/zod-openapi";
import { deleteEnv } from "./delete-env.ts";
import { getEnv } from "./get-env.ts";
import { readEnvNames } from "./env-vars.store.ts";
import { putEnv } from "./put-env.ts";
import { namedApp } from "../find-app.ts";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import {
  ENV_KEY,
  ENV_KEY_LENGTH_MAX,
  ENV_VALUE_BYTES_MAX,
  ENV_VARS_MAX,
  PUBLIC_ENV_BYTES_MAX,
} from "@svc/shared/rules/env-key.ts";

/** Checks as a record of strings would, which leaves out the key `__proto__` without a word. */
const EnvSchema = z
  .custom<Record<string, string>>()
  .superRefine(requireStrings)
  .openapi({
    type: "object",
    additionalProperties: { type: "string" },
    description:
      `key → value; a key matches \`${ENV_KEY.source}\`, with at most ${ENV_KEY_LENGTH_MAX} characters, and is not \`PORT\` or ` +
      `\`SVC_*\`; a value has at most ${ENV_VALUE_BYTES_MAX} bytes, an app at most ${ENV_VARS_MAX} variables; those ` +
      `with a public prefix, which builds are told, at most ${PUBLIC_ENV_BYTES_MAX} bytes of values in all`,
  });

function requireStrings(value: unknown, ctx: z.RefinementCtx): void {
  const refuse = (path: string[], expected: "record" | "string", input: unknown): void =>
    ctx.addIssue({ code: "invalid_type", expected, path, input });
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse([], "record", value);
  for (const [key, entry] of Object.entries(value))
    if (typeof entry !== "string") return refuse([key], "string", entry);
}

const NOTE = "The values apply on the next deploy; the container is not restarted.";

export const envRoutes = [
  route({
    method: "get",
    path: "/api/apps/{name}/env",
    operationId: "getEnv",
    summary: "Read the app's variables, decrypted",
    description: "Extension: `sealed` names the variables whose values nobody reads; absent where there are none.",
    scope: "env:read",
    subject: namedApp,
    successes: success(200, "the variables", { env: EnvSchema, sealed: z.array(z.string()).optional() }),
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
    subject: namedApp,
    successes: success(200, "the names, in their order", {
      variables: z.array(z.object({ name: z.string(), sealed: z.boolean() })),
    }),
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
    scope: "env:write",
    subject: namedApp,
    body: z.strictObject({ env: EnvSchema, sealed: z.array(z.string()).optional() }).openapi("PutEnv"),
    successes: success(200, "written", { updated: z.int(), note: z.string() }),
    errors: ["env_limit", "reserved_env_key"],
    handle: async (ctx, { subject: app, body }) => json(200, { updated: await putEnv(ctx, app, body), note: NOTE }),
  }),
  route({
    method: "delete",
    path: "/api/apps/{name}/env/{KEY}",
    operationId: "deleteEnv",
    summary: "Delete a variable",
    description: NOTE,
    scope: "env:write",
    subject: namedApp,
    params: { KEY: "key of the variable" },
    successes: success(204, "deleted"),
    handle: (ctx, { subject: app, params }) => deleteEnv(ctx, app, params["KEY"] ?? ""),
  }),
];
