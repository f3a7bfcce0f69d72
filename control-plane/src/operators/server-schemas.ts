import { z } from "@hono/zod-openapi";
import { POOL_RULE, SERVER_LABEL_RULE } from "@svc/shared/rules/servers/server-pool.ts";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";

const time = z.string().openapi({ format: "date-time" });
const bytes = z.number().openapi({ minimum: 0 });

export const ServerSchema = z
  .object({
    name: z.string().openapi({ example: "server-1" }),
    state: z.enum(["joining", "active", "draining"]).openapi({
      description: "`joining` until an agent has used its token; a `draining` one takes no new apps.",
      example: "active",
    }),
    pool: z.string().openapi({ description: "Apps that ask for no pool live in `default`.", example: "default" }),
    labels: z.array(z.string()).openapi({ example: ["zone=eu-1"] }),
    address: z.string().nullable().openapi({
      description: "host[:port] of its apps for balancers: as it was set, else where its agent was at its last link.",
      example: "192.0.2.7",
    }),
    linked: z.boolean().openapi({ description: "Whether its agent has told its status within the last 10 s." }),
    last_seen_at: time.nullable().openapi({ description: "When the agent told its status last." }),
    agent_version: z.string().nullable().openapi({ example: "0.1.0" }),
    certificate_until: time.nullable().openapi({
      description: "The end of the certificate by which the agent is recognised; it renews it by itself.",
    }),
    joined_at: time.nullable(),
    observed_at: time.nullable().openapi({ description: "When the figures below were taken." }),
    cpu: z
      .object({
        cores: z.int(),
        used_ratio: z.number().openapi({ description: "Of all cores together, 0 to 1.", example: 0.25 }),
        load_1m: z.number().openapi({ example: 0.5 }),
      })
      .nullable(),
    memory: z
      .object({
        total_bytes: bytes,
        available_bytes: bytes,
        promised_bytes: bytes.openapi({ description: "What apps and databases may take." }),
        promisable_bytes: bytes.openapi({
          description: "What may be promised; 0 from an agent that does not count it.",
        }),
      })
      .nullable(),
    disks: z.array(
      z.object({
        purpose: z.string().openapi({ description: "`data` (the agent's) or `engine`.", example: "data" }),
        total_bytes: bytes,
        available_bytes: bytes,
      }),
    ),
    lock: z
      .object({
        app: z.string().nullable().openapi({ description: "The app that is deployed; null when it is purged by now." }),
        step: z.enum(STEP_NAMES).nullable().openapi({ description: "null between two steps" }),
        taken_at: time.nullable(),
      })
      .nullable()
      .openapi({ description: "The deploy that the host works on; null when it works on none." }),
    queue: z.object({ length: z.int(), oldest_since: time.nullable() }),
    apps: z.int().openapi({ description: "How many live there, soft-stopped ones included." }),
  })
  .openapi("Server");

export const SetServerSchema = z
  .strictObject({
    pool: z.string().optional().openapi({ description: POOL_RULE }),
    labels: z
      .array(z.string())
      .optional()
      .openapi({ description: `in place of those before; each ${SERVER_LABEL_RULE}` }),
    address: z
      .string()
      .nullable()
      .optional()
      .openapi({
        description:
          "host[:port] at which balancers find the server's apps; without a port that of the apps' URLs. null for where its agent " +
          "was at its last link",
      }),
  })
  .openapi("SetServer", { example: { pool: "default", labels: ["zone=eu-1"] } });

export const OpenDeploySchema = z
  .object({
    app: z.string(),
    kind: z.enum(["deploy", "rollback", "move"]),
    status: z.enum(["pending", "running"]),
    since: time.openapi({ description: "When it began to run, or to wait." }),
    waits_for: z
      .enum(["server_away", "deploy_ahead", "next"])
      .nullable()
      .openapi({
        description:
          "`server_away`: the agent is not there; `deploy_ahead`: another deploy runs, or comes first; `next`: it begins at once. " +
          "null when it runs.",
      }),
  })
  .openapi("OpenDeploy");

export const AppOnServerSchema = z
  .object({ name: z.string(), status: z.string().openapi({ example: "running" }), team: z.string() })
  .openapi("AppOnServer");
