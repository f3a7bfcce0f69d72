import { z } from "@hono/zod-openapi";
import { APP_NAME, APP_NAME_LENGTH_MAX } from "@svc/shared/rules/app-name.ts";
import { FRAMEWORK_NAMES } from "@svc/shared/rules/frameworks.ts";
import { PORT } from "@svc/shared/rules/port.ts";
import { POOL, SERVER_LABEL } from "@svc/shared/rules/servers/server-pool.ts";
import { CPUS, MEMORY } from "@svc/shared/spec/resources.ts";
import { ROOT_LENGTH_MAX, ROOT_RULE } from "@svc/shared/rules/root-folder.ts";
import { time } from "../platform/http/time-schema.ts";
import { APP_STATUSES } from "./app.ts";
import { HEALTH_REASONS, HEALTH_STATES } from "./health/app-health.ts";
import { RESERVED_NAMES } from "../fleet/app-name.ts";

/** How requests and answers about apps look. The rules of values are in files of their own; here they are documented. */
const appName = () =>
  z.string().openapi({ pattern: APP_NAME.source, maxLength: APP_NAME_LENGTH_MAX, example: "hello" });
export const port = () => z.int().openapi({ minimum: PORT.min, maximum: PORT.max });
export const framework = () => z.string().openapi({ enum: [...FRAMEWORK_NAMES] });

const memory = () => z.string().openapi({ pattern: MEMORY.source, example: "512m" });
const cpus = () => z.string().openapi({ pattern: CPUS.source, example: "0.5" });
const SET_CAP = "the cap that was set for the app's container; null for that of the spec file, else of the tier";
const GIVEN_CAP =
  "at most what the tier allows; wins over the commit's spec file, which may ask for no more than the tier allows either; null " +
  "for what the file says, else for all that the tier allows. Answers write memory in mebibytes";

const pool = () => z.string().openapi({ pattern: POOL.source, example: "gpu" });
const label = () => z.string().openapi({ pattern: SERVER_LABEL.source, example: "zone=eu-1" });

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
    memory: memory()
      .nullable()
      .openapi({ description: `extension; ${SET_CAP}` }),
    cpus: cpus()
      .nullable()
      .openapi({ description: `extension; ${SET_CAP}` }),
    url: z.string().openapi({ format: "uri" }),
    needs_database: z.boolean(),
    deploy_on_push: z
      .boolean()
      .openapi({ description: "extension; a push to the app's repository on the platform's own git host deploys it" }),
    has_deploy_key: z
      .boolean()
      .openapi({ description: "extension; whether its repository is read with a deploy key of its own" }),
    server: z.string().nullable().openapi({ description: "name of the host that it lives on" }),
    pool: pool()
      .nullable()
      .openapi({ description: "extension; the pool of servers that it was created for; null for `default`" }),
    label: label()
      .nullable()
      .openapi({ description: "extension; the label that its server was to have when it was created" }),
    current_release: z.string().nullable(),
    created_at: time(),
    updated_at: time(),
    last_deployed_at: time().nullable(),
    last_deploy: z
      .object({
        release: z.string(),
        status: z.enum(["success", "failed", "canceled"]),
        taken_back: z.boolean().openapi({ description: "whether its release was taken back soon after it went live" }),
        finished_at: time(),
      })
      .nullable()
      .openapi({
        description: "extension; the deploy that ended last, also one that did not go live; null before the first",
      }),
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
    server: z
      .string()
      .optional()
      .openapi({
        description:
          "extension; name of the server that it is to live on: one of a pool that an operator has given the team. Not beside " +
          "`pool` and `label`",
      }),
    pool: pool()
      .optional()
      .openapi({
        description:
          "extension; the pool of servers that one is chosen from at the first deploy: `default`, which it is otherwise, or one " +
          "that an operator has given the team",
      }),
    label: label()
      .optional()
      .openapi({ description: "extension; a label that the server is to have; some server of the pool has it" }),
  })
  .openapi("CreateApp", { example: { name: "hello", repo_url: "https://github.com/you/hello" } });

export const PatchAppSchema = z
  .strictObject({
    repo_url: z.string().optional().openapi({ format: "uri", description: "https, without credentials" }),
    root: givenRoot(),
    framework: givenFramework()
      .nullable()
      .openapi({ description: "wins over the spec file of the commit; null for the one that is recognised" }),
    port: givenPort()
      .nullable()
      .openapi({ description: "wins over the spec file of the commit; null for the framework's" }),
    memory: memory()
      .nullable()
      .optional()
      .openapi({ description: `extension; ${GIVEN_CAP}` }),
    cpus: cpus()
      .nullable()
      .optional()
      .openapi({ description: `extension; ${GIVEN_CAP}` }),
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
