import * as z from "zod";
import { APP_NAME, APP_NAME_LENGTH_MAX } from "../rules/app-name.ts";
import { ENV_KEY, ENV_KEY_LENGTH_MAX, ENV_VARS_MAX, isPlatformEnvKey } from "../rules/env-key.ts";
import { PORT } from "../rules/port.ts";
import { POSTGRES_MAJOR_DEFAULT, POSTGRES_MAJORS } from "../rules/postgres-versions.ts";
import { POOL, POOL_RULE, SERVER_LABEL, SERVER_LABEL_RULE } from "../rules/servers/server-pool.ts";
import { ROOT, ROOT_LENGTH_MAX, ROOT_RULE } from "../rules/root-folder.ts";
import { FRAMEWORK_NAMES } from "../rules/frameworks.ts";
import { cpuMillis, CPUS, MEMORY, memoryBytes, REPLICAS } from "./resources.ts";
import { SERVICES_MAX } from "./service-databases.ts";
import { expected, oneOf, quoted, reserved, textExpected } from "./sentences.ts";

/** As the API takes them; the platform's own are not taken. */
const GIVEN_ENV_KEY = new RegExp(ENV_KEY.source.replace("^", "^(?!PORT$|SVC_)"));
/** This is far longer than a line that a person reads; a longer one belongs into a script of the repository. */
export const COMMAND_LENGTH_MAX = 4096;
/** A name to say in a sentence and to find in a file. */
const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;

/** No control characters, but lines and tabs. */
export const COMMAND = /^(?=[\s\S]*\S)(?:\P{Cc}|[\t\n])*$/u;

const name = z
  .string({ error: textExpected("a name") })
  .max(APP_NAME_LENGTH_MAX, {
    error: ({ input }) => `has ${String(input).length} characters; at most ${APP_NAME_LENGTH_MAX} are allowed.`,
  })
  .regex(APP_NAME, {
    error: ({ input }) =>
      `${quoted(input)} can't be a subdomain: use a-z, 0-9 and -, with a letter or digit at both ends.`,
  })
  .describe("Name of the app, and its subdomain.");

const framework = z
  .enum(FRAMEWORK_NAMES, { error: oneOf(FRAMEWORK_NAMES) })
  .describe("Overrides what is detected from the files.");

const command = (what: string, otherwise: string) =>
  z
    .string({ error: textExpected(what) })
    .max(COMMAND_LENGTH_MAX, {
      error: ({ input }) =>
        `has ${String(input).length} characters; at most ${COMMAND_LENGTH_MAX} are allowed. Put it into a script.`,
    })
    .regex(COMMAND, {
      error: ({ input }) =>
        String(input).trim() === "" ? `is empty: leave it out, or give ${otherwise}.` : "holds a control character.",
    });

const build = command("a command, such as npm run build", "`true` to build nothing").describe(
  "Replaces the framework's build command; dependencies are installed before it. Of several lines each has to succeed.",
);

const start = command("a command, such as node server.js", "a command").describe(
  "Replaces the framework's start command. Leading assignments (NODE_ENV=production) and shell operators make it run in a shell.",
);

const portError = expected(`a whole number from ${PORT.min} to ${PORT.max}`);
const port = z
  .int({ error: portError })
  .min(PORT.min, { error: portError })
  .max(PORT.max, { error: portError })
  .describe("Where the app listens, also in its PORT variable.");

const engine = z
  .enum(["postgres", "postgresql", "pg"], {
    error: reserved(["mysql", "mariadb"], oneOf(["postgres", "postgresql", "pg"])),
  })
  .describe("Kind of the database; postgresql and pg mean postgres.");

const versionError = oneOf(POSTGRES_MAJORS);
const version = z
  .string({ error: versionError })
  .regex(new RegExp(String.raw`^(${POSTGRES_MAJORS.join("|")})(\.[0-9]{1,3})?$`), { error: versionError })
  .describe(`Major version; ${POSTGRES_MAJOR_DEFAULT} when left out. A minor one is taken for its major.`);

const service = z.strictObject(
  { engine, version: version.optional() },
  { error: expected("a service with `engine`, such as {engine: postgres}") },
);

const services = z
  .record(
    z.string().regex(SERVICE_NAME, {
      error: ({ input }) => `${quoted(input)} can't name a service: use letters, digits, ., _ and -, at most 63.`,
    }),
    service,
    { error: expected("services by name, such as db: {engine: postgres}") },
  )
  .meta({
    description:
      "The app's databases, by names of your choice. The address of the only or first one comes as DATABASE_URL, and of each " +
      "one as <NAME>_DATABASE_URL.",
    maxProperties: SERVICES_MAX,
  });

const envKey = z
  .string({ error: textExpected("the name of a variable") })
  .max(ENV_KEY_LENGTH_MAX, { error: `has more than ${ENV_KEY_LENGTH_MAX} characters.` })
  .regex(GIVEN_ENV_KEY, { error: ({ input }) => envKeyMistake(String(input)) });

function envKeyMistake(key: string): string {
  if (key === "PORT") return "PORT is set by the platform: give `port` instead.";
  if (isPlatformEnvKey(key)) return `${quoted(key)} can't be set: names that begin with SVC_ belong to the platform.`;
  const hint = key.includes("=") ? " Values do not belong here, only names." : "";
  // The text after a `=` may be a secret.
  return `${quoted(key.split("=", 1)[0])} can't name a variable: use letters, digits and _, without a digit in front.${hint}`;
}

const env = z
  .array(envKey, { error: expected("a list of names, such as [SESSION_SECRET]") })
  .max(ENV_VARS_MAX, { error: `holds more than ${ENV_VARS_MAX} variables, which is what an app can have.` })
  .meta({ description: "Variables that the app needs; their values never stand in this file.", uniqueItems: true });

const memoryError = expected('a text such as "512m" or "1g", from "16m" to "1024g"');
const memory = z
  .string({ error: memoryError })
  .regex(MEMORY, { error: memoryError, abort: true })
  .refine((text) => memoryBytes(text) !== undefined, { error: memoryError })
  .describe("Cap of the container's memory, such as 512m or 1g.");

const cpusError = expected('a text in quotes such as "0.5" or "2", from "0.01" to "512"');
const cpus = z
  .string({ error: cpusError })
  .regex(CPUS, { error: cpusError, abort: true })
  .refine((text) => cpuMillis(text) !== undefined, { error: cpusError })
  .describe("Cap of the container's CPUs, such as 0.5 or 2.");

const resources = z
  .strictObject(
    { memory: memory.optional(), cpus: cpus.optional() },
    { error: expected('caps, such as {memory: 512m, cpus: "0.5"}') },
  )
  .describe("What the app's container may use, at most what the account's tier allows.");

const runtime = z
  .literal("docker", { error: reserved(["sysbox"], oneOf(["docker"])) })
  .describe("What runs the app; sysbox is reserved for v1.x.");

const sandbox = z.literal(false, { error: reserved([true], expected("false")) }).describe("Reserved for v1.x: false.");

const rootError = expected(ROOT_RULE);
const root = z
  .string({ error: textExpected("a folder of the repository, such as apps/web") })
  .max(ROOT_LENGTH_MAX, { error: rootError })
  .regex(ROOT, { error: rootError })
  .describe("The folder that the app is built from, such as apps/web, in a file of `svc/v2` at the repository's top.");

const pool = z
  .string({ error: textExpected("the name of a pool of servers, such as gpu") })
  .regex(POOL, { error: expected(POOL_RULE) })
  .describe(
    "The pool of servers that a new app is placed in, in a file of `svc/v2`; an app that exists stays where it is.",
  );

const label = z
  .string({ error: textExpected("a label of servers, such as zone=eu-1") })
  .regex(SERVER_LABEL, { error: expected(SERVER_LABEL_RULE) })
  .describe("A label that the server of a new app is to have, in a file of `svc/v2`.");

const replicasError = expected(`a whole number from ${REPLICAS.min} to ${REPLICAS.max}`);
const replicas = z
  .int({ error: replicasError })
  .min(REPLICAS.min, { error: replicasError })
  .max(REPLICAS.max, { error: replicasError })
  .describe(
    "How many copies of the app run at the same time, in a file of `svc/v2`; above 1 on a server that is a cluster.",
  );

/**
 * Versions that the first line of svc.yaml, or `spec` of svc.json, may name; each version holds all of the one before.
 */
export const SPEC_VERSIONS = ["svc/v1", "svc/v2"] as const;
export type SpecVersion = (typeof SPEC_VERSIONS)[number];

export function isSpecVersion(text: unknown): text is SpecVersion {
  return (SPEC_VERSIONS as readonly unknown[]).includes(text);
}

/** The deploy spec file. The sentences of its mistakes follow the name of the property. */
const specSchema = z.strictObject(
  {
    spec: z
      .enum(SPEC_VERSIONS, { error: expected('"svc/v1" or "svc/v2"') })
      .optional()
      .describe("The version of this format, in svc.json only; svc.yaml says it in its first line, `# spec: svc/v2`."),
    name,
    framework: framework.optional(),
    build: build.optional(),
    start: start.optional(),
    port: port.optional(),
    services: services.optional(),
    runtime: runtime.optional(),
    sandbox: sandbox.optional(),
    env: env.optional(),
    resources: resources.optional(),
  },
  { error: expected("names with values, such as name: shop") },
);

/** Version 2 of it: what is added to the specification's. */
export const specSchemaV2 = specSchema.extend({
  root: root.optional(),
  pool: pool.optional(),
  label: label.optional(),
  replicas: replicas.optional(),
});

export const SPEC_SCHEMAS = { "svc/v1": specSchema, "svc/v2": specSchemaV2 } as const;

export type SpecInput = z.infer<typeof specSchemaV2>;

const topOf = (version: SpecVersion): string[] =>
  Object.keys(SPEC_SCHEMAS[version].shape).filter((property) => property !== "spec");

/** Property names by their place, for a hint at the name that was meant. */
export const PROPERTY_NAMES = {
  top: { "svc/v1": topOf("svc/v1"), "svc/v2": topOf("svc/v2") },
  service: Object.keys(service.shape),
  resources: Object.keys(resources.shape),
} as const;
