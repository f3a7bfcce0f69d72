import { POSTGRES_MAJOR_DEFAULT } from "../rules/postgres-versions.ts";
import type { z } from "zod";
import {
  offsetOfKey,
  offsetOfValue,
  plainValue,
  type Found,
  type Located,
  type Path,
  type ReadText,
} from "./located.ts";
import { rootFolder } from "../rules/root-folder.ts";
import { readJson } from "./read-json.ts";
import { readYaml } from "./read-yaml.ts";
import { cpuMillis, memoryBytes } from "./resources.ts";
import { furtherProblems } from "./rules.ts";
import { PROPERTY_NAMES, SPEC_SCHEMAS, SPEC_VERSIONS, type SpecInput, type SpecVersion } from "./schema.ts";
import { unknownProperty } from "./sentences.ts";

/** Where a repository may have its spec file, at its root. */
export const SPEC_FILES = ["svc.yaml", "svc.yml", "svc.json"] as const;

/** The content of a deploy spec file, with its defaults filled in. */
export interface DeploySpec {
  name: string;
  framework?: string;
  /** Is for /bin/sh; may have several lines. */
  build?: string;
  start?: string;
  /** 1 to 65535. */
  port?: number;
  /** Folder of the repository that is built, empty for its top; only a file at the top names one. */
  root?: string;
  /** The pool of servers that a new app asks for, and the label of one in it. */
  pool?: string;
  label?: string;
  /**
   * The services by the name that the file gives them, in its order. `version` is a major, "16", and the same for all.
   */
  services: Record<string, { engine: "postgres"; version: string }>;
  /** Keys that the app needs. */
  env: readonly string[];
  resources: { memoryBytes?: number; cpuMillis?: number };
  /** How many copies of the app run at the same time. */
  replicas?: number;
}

export interface SpecProblem {
  /** The line, from 1. */
  line: number;
  /** The column, from 1, in UTF-16 units. */
  column: number;
  /** "services.db.engine", "env[2]"; empty for the file as a whole. */
  path: string;
  /** The mistake: which value was wrong, and what is allowed. */
  message: string;
}

/** A spec file that breaks rules. Its message holds a line for each problem. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly file: string;
  /** Stands in order of place; at least one. */
  readonly problems: readonly SpecProblem[];

  constructor(file: string, problems: readonly SpecProblem[]) {
    super(problems.map((problem) => describeProblem(file, problem)).join("\n"));
    this.file = file;
    this.problems = problems;
  }
}

/** Writes a problem as compilers and editors do: "svc.yaml:3:7: port: is 0; allowed is …". */
export function describeProblem(file: string, { line, column, path, message }: SpecProblem): string {
  return `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`;
}

/** A hundred times what a full spec file has. */
const TEXT_BYTES_MAX = 64 * 1024;
/** The most problems that are listed: more would help nobody. */
const PROBLEMS_MAX = 50;

/**
 * @param file its name, for messages; one that ends in `.json` is read as JSON, any other as YAML
 * @throws SpecError with all problems; never anything else
 */
export function parseDeploySpec(file: string, text: string): DeploySpec {
  // Editors that write a byte-order mark do not show it.
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (Buffer.byteLength(content) > TEXT_BYTES_MAX) {
    const message = `has more than ${TEXT_BYTES_MAX} bytes, which is more than a spec file may have.`;
    throw new SpecError(file, [{ line: 1, column: 1, path: "", message }]);
  }
  const isJson = file.toLowerCase().endsWith(".json");
  const read = isJson ? readJson(content) : readYaml(content);
  const { spec, found } = check(read, isJson);
  if (spec === undefined || found.length > 0) throw new SpecError(file, placed(content, found));
  return spec;
}

function check({ root, version, found }: ReadText, isJson: boolean): { spec: DeploySpec | undefined; found: Found[] } {
  if (root === undefined) return { spec: undefined, found };
  const result = SPEC_SCHEMAS[version].safeParse(plainValue(root));
  const broken = result.success ? [] : result.error.issues.flatMap((issue) => problemsOf(issue, root, version));
  const all = [...found, ...broken, ...furtherProblems(root, isJson)];
  return { spec: result.data && toDeploySpec(result.data), found: all };
}

function problemsOf(issue: z.core.$ZodIssue, root: Located, version: SpecVersion): Found[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code !== "unrecognized_keys") {
    const isKey = issue.code === "invalid_key";
    const message = isKey ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [{ offset: isKey ? offsetOfKey(root, path) : offsetOfValue(root, path), path, message }];
  }
  const isTop = path.length === 0;
  const names = isTop ? PROPERTY_NAMES.top[version] : PROPERTY_NAMES[path[0] === "services" ? "service" : "resources"];
  return issue.keys.map((key) => ({
    offset: offsetOfKey(root, [...path, key]),
    path: [...path, key],
    message: unknownProperty(key, names, isTop ? laterVersion(key) : undefined),
  }));
}

/** The version that has the property, which the file's own has not. */
function laterVersion(key: string): SpecVersion | undefined {
  return SPEC_VERSIONS.find((version) => PROPERTY_NAMES.top[version].includes(key));
}

function toDeploySpec(input: SpecInput): DeploySpec {
  const { name, framework, port, services = {}, env = [], resources = {} } = input;
  const memory = resources.memory === undefined ? undefined : memoryBytes(resources.memory);
  const cpus = resources.cpus === undefined ? undefined : cpuMillis(resources.cpus);
  return {
    name,
    ...(framework !== undefined && { framework }),
    ...(input.build !== undefined && { build: buildCommand(input.build.trim()) }),
    ...(input.start !== undefined && { start: input.start.trim() }),
    ...(port !== undefined && { port }),
    ...(input.root !== undefined && { root: rootFolder(input.root)! }),
    ...(input.pool !== undefined && { pool: input.pool }),
    ...(input.label !== undefined && { label: input.label }),
    ...(input.replicas !== undefined && { replicas: input.replicas }),
    services: Object.fromEntries(
      Object.entries(services).map(([key, { version = POSTGRES_MAJOR_DEFAULT }]) => [
        key,
        { engine: "postgres", version: version.split(".", 1)[0]! },
      ]),
    ),
    env,
    resources: {
      ...(memory !== undefined && { memoryBytes: memory }),
      ...(cpus !== undefined && { cpuMillis: cpus }),
    },
  };
}

/** A shell would go on after a line that fails, and the image would be made without what the line makes. */
function buildCommand(lines: string): string {
  return lines.includes("\n") ? `set -e\n${lines}` : lines;
}

/**
 * Stands in order of place, with lines and columns; of several with one value the first, from which the others follow.
 */
function placed(text: string, found: readonly Found[]): SpecProblem[] {
  const first = [...Map.groupBy(found, ({ offset, path }) => `${offset} ${pathText(path)}`).values()].map(
    ([one]) => one!,
  );
  const shown = first.toSorted((a, b) => a.offset - b.offset).slice(0, PROBLEMS_MAX);
  return shown.map(({ offset, path, message }) => {
    const before = text.slice(0, offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    return {
      line: before.split("\n").length,
      column: offset - lineStart + 1,
      path: pathText(path),
      message,
    };
  });
}

function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const name = /^[\w$-]{1,64}$/.test(step) ? step : JSON.stringify(step.slice(0, 64).toWellFormed());
    return text === "" ? name : `${text}.${name}`;
  }, "");
}
