import { appNameLike } from "@svc/shared/rules/app-name.ts";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import { dockerfileOf, planFolder, startOf } from "@svc/shared/frameworks/plan-folder.ts";
import { wrongUse } from "../output/cli-error.ts";
import { readEnvFile } from "./env-file.ts";
import { parseSpecFile } from "./spec-file.ts";

const FILE = "svc.yaml";
/** Where a repository says which variables it wants. */
const ENV_EXAMPLES = [".env.example", ".env.sample", ".env"];

export interface NewSpecFile {
  file: string;
  plan: BuildPlan | undefined;
  /** Why there is no plan; a sentence. */
  problem: string | undefined;
}

/**
 * Writes a spec file for the folder, with what was detected; never over one that is there.
 * @throws CliError bad_spec when the name can't be an app's, wrong_use when the file can't be written
 */
export async function writeSpecFile(dir: string, name: string): Promise<NewSpecFile> {
  const files = checkoutFiles(dir);
  const keys = await envKeys(dir);
  const { plan, problem } = detect(() => planFolder(files, undefined));
  const text = specText({
    name,
    plan,
    keys,
    start: plan && startOf(dockerfileOf(files, plan)),
    usesNode: files.list().includes("package.json"),
  });
  parseSpecFile(FILE, text);
  await writeFile(join(dir, FILE), text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw wrongUse(`${join(dir, FILE)} can't be written: ${error.message}.`);
  });
  return { file: FILE, plan, problem };
}

/** The folder's name, as far as it can be a subdomain. */
export function nameOfFolder(dir: string): string {
  return appNameLike(basename(dir));
}

function detect(make: () => BuildPlan): { plan: BuildPlan | undefined; problem: string | undefined } {
  try {
    return { plan: make(), problem: undefined };
  } catch (error) {
    if (error instanceof SvcError) return { plan: undefined, problem: error.message };
    throw error;
  }
}

async function envKeys(dir: string): Promise<string[]> {
  for (const file of ENV_EXAMPLES) {
    const text = await readFile(join(dir, file), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    try {
      return [...readEnvFile(file, text).keys()].filter((key) => key !== "PORT" && !key.startsWith("SVC_"));
    } catch {
      // A file that another tool reads; the user names the keys then.
    }
  }
  return [];
}

interface SpecParts {
  name: string;
  plan: BuildPlan | undefined;
  keys: readonly string[];
  /** The start command that was detected. */
  start: string | null | undefined;
  usesNode: boolean;
}

function specText({ name, plan, keys, start, usesNode }: SpecParts): string {
  const detected = plan ? `# Detected: ${plan.framework}, ${plan.reason}. Name one to override it.` : undefined;
  // Two more kinds are recognised than can be named.
  const framework = plan && plan.framework !== "node" && plan.framework !== "dockerfile" ? plan.framework : "express";
  const env = keys.length === 0 ? ["# env:", "#   - API_TOKEN"] : ["env:", ...keys.map((key) => `  - ${key}`)];
  return `${[
    "# spec: svc/v1",
    `name: ${/^[0-9]+$|^[0-9]+e[0-9]+$|^0[xo]|^(y|n|yes|no|on|off|true|false|null)$/.test(name) ? JSON.stringify(name) : name}`,
    "",
    ...(detected === undefined ? [] : [detected]),
    `# framework: ${framework}`,
    "",
    "# In place of the framework's own commands; dependencies are installed all the same.",
    `# build: ${usesNode ? "npm run build" : "./build.sh"}`,
    `# start: ${start ?? (usesNode ? "npm start" : "./start.sh")}`,
    "",
    "# Where the app listens; it finds the same in PORT.",
    `# port: ${plan?.port ?? 3000}`,
    "",
    "# A PostgreSQL of the app's own, as DATABASE_URL.",
    "# services:",
    "#   db:",
    "#     engine: postgres",
    '#     version: "16"',
    "",
    "# Variables that must have a value; `svc up` looks in the app, the secrets manager, the environment and .env.",
    ...env,
    "",
    "# Caps of the container.",
    "# resources:",
    "#   memory: 512m",
    '#   cpus: "1.0"',
  ].join("\n")}\n`;
}
