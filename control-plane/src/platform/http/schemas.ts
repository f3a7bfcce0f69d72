import { z } from "@hono/zod-openapi";
import { HEALTH_REASONS, HEALTH_STATES } from "../../apps/app-health.ts";
import { APP_STATUSES } from "../../apps/app.ts";
import { APP_NAME, APP_NAME_LENGTH_MAX, RESERVED_NAMES } from "../../apps/app-name.ts";
import { DEPLOY_STATUSES, STEP_NAMES, STEP_STATUSES } from "../../deploys/deploy.ts";
import { PUBLIC_ENV_BYTES_MAX } from "@svc/shared/frameworks/dockerfile/build-env.ts";
import { ENV_KEY, ENV_KEY_LENGTH_MAX, ENV_VALUE_BYTES_MAX, ENV_VARS_MAX } from "../../apps/env/env-var.ts";
import { FRAMEWORKS } from "../../apps/framework.ts";
import { PORT_MAX, PORT_MIN } from "../../apps/port.ts";
import { ROOT_LENGTH_MAX, ROOT_RULE } from "@svc/shared/rules/root-folder.ts";
import { RELEASE_NAME, RELEASE_NAME_LENGTH_MAX } from "../../deploys/releases/release.ts";

/** What requests and answers look like. The rules of values are the domain's; here they are documented. */
const time = () => z.string().openapi({ format: "date-time", description: "ISO 8601, UTC" });
const appName = () =>
  z.string().openapi({ pattern: APP_NAME.source, maxLength: APP_NAME_LENGTH_MAX, example: "hello" });
const port = () => z.int().openapi({ minimum: PORT_MIN, maximum: PORT_MAX });
const framework = () => z.string().openapi({ enum: [...FRAMEWORKS] });

export const AppSchema = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    name: appName(),
    subdomain: z.string(),
    status: z.enum(APP_STATUSES),
    stopped_by: z
      .object({
        reason: z.string().openapi({ description: "`disk_limit`; there may be more", example: "disk_limit" }),
        detail: z.string().openapi({
          description: "the limit, what was used, what to do",
          example:
            "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
        }),
        at: time(),
      })
      .nullable()
      .openapi({
        description: "extension; why the platform itself stopped the app, until it is started or deployed; else null",
        example: null,
      }),
    health: z
      .object({
        state: z.enum(HEALTH_STATES),
        reason: z.enum(HEALTH_REASONS).nullable(),
        since: time().nullable(),
      })
      .openapi({
        description:
          "extension; how the app is, as its server's agent observed it within the last 10 s. `unhealthy`: `crash_loop`, it " +
          "ends again and again; `out_of_memory`, it reached its memory limit and ended; `not_listening`, its port accepts no " +
          "connection; `gone`, its container was removed or stopped outside of the platform. `unknown`: `server_away`, nobody " +
          "observes it, since then; without a reason, it is not to serve, or was not observed yet",
        example: { state: "healthy", reason: null, since: "2026-01-31T12:00:00.000Z" },
      }),
    git_repo: z
      .string()
      .nullable()
      .openapi({
        description:
          "of an app from a template: its repository on the platform's own git host, `{base_url}/git/<id of the owner>/<name>.git`; " +
          "git takes an API key as the password, with any user name (a clone needs `apps:read`, a push `apps:write`)",
      }),
    root: z
      .string()
      .nullable()
      .openapi({ description: "extension; the folder of the repository that was set to be built", example: null }),
    database_name: z.string().nullable(),
    framework: framework().nullable(),
    port: port()
      .nullable()
      .openapi({ description: "null until it is known: given, implied by the framework, or detected" }),
    url: z.string().openapi({ format: "uri" }),
    needs_database: z.boolean(),
    deploy_on_push: z
      .boolean()
      .openapi({ description: "extension; a push to the app's repository on the platform's own git host deploys it" }),
    server: z.string().nullable().openapi({ description: "name of the host that it lives on" }),
    current_release: z.string().nullable(),
    created_at: time(),
    updated_at: time(),
    last_deployed_at: time().nullable(),
  })
  .openapi("App");

const givenRoot = () =>
  z
    .string()
    .optional()
    .openapi({
      description:
        `extension; ${ROOT_RULE}; \`.\` is the repository's top. Framework, Dockerfile and spec file are looked for in it; the ` +
        "spec file at the top counts where the folder has none. In a workspace of npm, pnpm, yarn or bun the dependencies come " +
        "from the workspace's lock file. It wins over `root` of the spec file at the top",
      maxLength: ROOT_LENGTH_MAX,
      example: "apps/web",
    });
const givenFramework = () =>
  framework().optional().openapi({ description: "wins over the spec file of the commit, and over what is recognised" });
const givenPort = () =>
  port().optional().openapi({ description: "wins over the spec file of the commit, and over the framework's" });

export const CreateAppSchema = z
  .strictObject({
    name: appName().openapi({ description: `none of ${[...RESERVED_NAMES].join(", ")}` }),
    repo_url: z.string().optional().openapi({ format: "uri", description: "https, without credentials" }),
    root: givenRoot(),
    template: z.string().optional().openapi({ description: "exactly one of repo_url and template" }),
    framework: givenFramework(),
    port: givenPort(),
    needs_database: z
      .boolean()
      .optional()
      .openapi({ description: "provision PostgreSQL on the first deploy; a service in the spec file does so too" }),
  })
  .openapi("CreateApp", { example: { name: "hello", repo_url: "https://github.com/you/hello" } });

export const TemplateSchema = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    framework: framework(),
    port: port(),
    needs_database: z.boolean(),
  })
  .openapi("Template");

export const PatchAppSchema = z
  .strictObject({
    repo_url: z.string().optional().openapi({ format: "uri", description: "https, without credentials" }),
    root: givenRoot(),
    framework: givenFramework(),
    port: givenPort(),
    deploy_on_push: z
      .boolean()
      .optional()
      .openapi({
        description:
          "extension; deploy when the default branch of the app's repository on the platform's own git host is pushed " +
          "with a key that has deploys:write",
      }),
  })
  .openapi("PatchApp", { example: { port: 8080 } });

/** As a record of strings, which would leave out the key `__proto__` without a word. */
export const EnvSchema = z
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

export const TierSchema = z
  .object({
    name: z.string().openapi({ example: "free" }),
    apps: z.int().openapi({ description: "apps at most, soft-stopped ones included", example: 3 }),
    memory: z.string().openapi({
      description: "that an app's container may have, written as `resources.memory` of a spec file",
      example: "512m",
    }),
    cpus: z.string().openapi({ description: "the same of CPUs", example: "1" }),
  })
  .openapi("Tier");
