import * as z from "zod";
import { SvcError } from "../../../errors.ts";
import type { FileTree } from "../../repository/file-tree.ts";

const packageJson = z.object({
  // Others are none that a registry takes.
  name: z
    .string()
    .regex(/^(?:@[\w.-]+\/)?[\w.-]+$/)
    .optional()
    .catch(undefined),
  homepage: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}).catch({}),
  engines: z.object({ node: z.string().optional() }).optional().catch(undefined),
  packageManager: z.string().optional().catch(undefined),
  workspaces: z.unknown().optional(),
});

export type NodePackage = z.infer<typeof packageJson>;

/**
 * A package.json, the one at the root unless told otherwise; undefined when there is none.
 * @throws SvcError framework_unknown when it cannot be read as one
 */
export function readPackage(files: FileTree, path = "package.json"): NodePackage | undefined {
  const text = files.read(path);
  if (text === undefined) return undefined;
  const parsed = packageJson.safeParse(parseJson(text, path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue && issue.path.length > 0 ? ` \`${issue.path.join(".")}\` is wrong in it.` : "";
  throw new SvcError("framework_unknown", `The repository's ${path} cannot be read.${where} Correct it and push.`);
}

/** @throws SvcError framework_unknown when there is none */
export function requirePackage(files: FileTree): NodePackage {
  const pkg = readPackage(files);
  if (pkg) return pkg;
  throw new SvcError("framework_unknown", "The repository has no package.json at its root. Add one.");
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new SvcError("framework_unknown", `The repository's ${path} is not valid JSON. Correct it and push.`);
  }
}

/** Where the package is listed, in words; undefined when it is not. */
export function dependencySign(pkg: NodePackage, name: string): string | undefined {
  if (Object.hasOwn(pkg.dependencies, name)) return `\`${name}\` in dependencies`;
  if (Object.hasOwn(pkg.devDependencies, name)) return `\`${name}\` in devDependencies`;
  return undefined;
}

/** The first of the files that is there, with its path. */
function firstFile(files: FileTree, paths: readonly string[]): { path: string; text: string } | undefined {
  for (const path of paths) {
    const text = files.read(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** Endings of configuration files, in the order in which most Node tools look for them. */
const CONFIG_ENDINGS = ["js", "mjs", "ts", "cjs", "mts", "cts"];

/** The configuration file of a tool: `name` with the first of the endings that is there. */
export function configFile(
  files: FileTree,
  name: string,
  endings: readonly string[] = CONFIG_ENDINGS,
): { path: string; text: string } | undefined {
  return firstFile(
    files,
    endings.map((ending) => `${name}.${ending}`),
  );
}

/** Whether the folder has something in it. */
export function hasFolder(files: FileTree, folder: string): boolean {
  return files.list(folder).length > 0;
}
