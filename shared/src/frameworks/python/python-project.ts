import * as z from "zod";
import { SvcError } from "../../errors.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { readRequirements, requirementName, REQUIREMENTS_FILES } from "./python-requirements.ts";
import { readToml } from "../repository/read-toml.ts";

/** The dependencies of a Python repository, and the tool that installs them. */
export interface PythonProject {
  /** Names as PyPI compares them → the file that names them. */
  dependencies: ReadonlyMap<string, string>;
  /** Optional ones: name → the extra of pyproject.toml that has it. */
  extras: ReadonlyMap<string, string>;
  /** PEP 440, or Poetry's own form. */
  requiresPython: string | undefined;
  install: PythonInstall;
}

export type PythonInstall =
  | { by: "requirements"; files: readonly string[]; needsSources: boolean }
  | { by: "pyproject"; requirements: readonly string[]; optional: Readonly<Record<string, readonly string[]>> }
  | { by: "uv"; files: readonly string[] }
  | { by: "poetry"; files: readonly string[] };

const dependencyTable = z.record(z.string(), z.unknown()).default({});

const pyproject = z.object({
  project: z
    .object({
      dependencies: z.array(z.string()).default([]),
      "optional-dependencies": z.record(z.string(), z.array(z.string())).default({}),
      "requires-python": z.string().optional(),
    })
    .optional(),
  tool: z.object({ poetry: z.object({ dependencies: dependencyTable }).optional() }).optional(),
});

/**
 * A lock file says who installs; without one, requirements.txt goes before pyproject.toml, which may hold no more than
 * settings of tools. undefined when there is neither.
 * @throws SvcError framework_unknown when a file cannot be read
 */
function readPythonProject(files: FileTree): PythonProject | undefined {
  const names = new Set(files.list());
  const toml = readToml(files, "pyproject.toml", pyproject);
  const poetry = toml?.tool?.poetry;
  const requirements = REQUIREMENTS_FILES.find((path) => files.read(path) !== undefined);
  if (toml && names.has("uv.lock")) return locked("uv", toml, ["pyproject.toml", "uv.lock"]);
  if (toml && names.has("poetry.lock")) return locked("poetry", toml, ["pyproject.toml", "poetry.lock"]);
  if (requirements !== undefined) return fromRequirements(files, requirements, toml);
  if (toml && poetry && !toml.project?.dependencies.length) return locked("poetry", toml, ["pyproject.toml"]);
  if (toml?.project) {
    const { dependencies, "optional-dependencies": optional } = toml.project;
    return fromToml(toml, { by: "pyproject", requirements: dependencies, optional });
  }
  return undefined;
}

type Toml = z.infer<typeof pyproject>;

function locked(by: "uv" | "poetry", toml: Toml, files: readonly string[]): PythonProject {
  return fromToml(toml, { by, files });
}

function fromToml(toml: Toml, install: PythonInstall): PythonProject {
  const optional = Object.entries(toml.project?.["optional-dependencies"] ?? {});
  const extras = optional.flatMap(([extra, all]) => all.map((one) => [requirementName(one), extra] as const));
  return { dependencies: declared(toml), extras: new Map(extras), requiresPython: requiredVersion(toml), install };
}

function fromRequirements(files: FileTree, path: string, toml: Toml | undefined): PythonProject {
  const read = readRequirements(files, path);
  const own = new Map(read.names.map((name) => [name, path]));
  const dependencies = read.needsSources && toml ? new Map([...declared(toml), ...own]) : own;
  return {
    dependencies,
    extras: new Map(),
    requiresPython: toml && requiredVersion(toml),
    install: { by: "requirements", files: read.files, needsSources: read.needsSources },
  };
}

function declared({ project, tool }: Toml): Map<string, string> {
  const names = [...(project?.dependencies ?? []), ...Object.keys(tool?.poetry?.dependencies ?? {})];
  return new Map(names.map((name) => [requirementName(name), "pyproject.toml"]));
}

function requiredVersion({ project, tool }: Toml): string | undefined {
  const python = tool?.poetry?.dependencies["python"];
  return project?.["requires-python"] ?? (typeof python === "string" ? python : undefined);
}

/** "`fastapi` in requirements.txt"; undefined when the repository does not depend on it. */
export function dependencySign(files: FileTree, name: string): string | undefined {
  const file = readPythonProject(files)?.dependencies.get(name);
  return file === undefined ? undefined : `\`${name}\` in ${file}`;
}

/** "`fastapi` in the extra `web` of pyproject.toml"; undefined when it is in none. */
export function extraSign(files: FileTree, name: string): string | undefined {
  const extra = readPythonProject(files)?.extras.get(name);
  return extra === undefined ? undefined : `\`${name}\` in the extra \`${extra}\` of pyproject.toml`;
}

/** @throws SvcError framework_unknown when the repository says nowhere what it needs */
export function requirePythonProject(files: FileTree): PythonProject {
  const project = readPythonProject(files);
  if (project) return project;
  throw new SvcError(
    "framework_unknown",
    "The repository has neither a requirements.txt nor a pyproject.toml with dependencies at its root. " +
      "Add one that names what the app needs (`pip freeze > requirements.txt`).",
  );
}
