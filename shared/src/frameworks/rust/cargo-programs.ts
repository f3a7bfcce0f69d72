import { posix } from "node:path";
import * as z from "zod";
import { SvcError } from "../../errors.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { theServer } from "../repository/server-name.ts";
import { readToml } from "../repository/read-toml.ts";

/** A program of a Cargo package or workspace. */
export interface CargoProgram {
  /** Name of the package, and of the program as Cargo makes it. */
  package: string;
  name: string;
  /** Text of its main file. */
  source: string;
  /** Chosen among several by its name alone. */
  isGuess?: boolean;
}

const manifest = z.object({
  package: z
    .object({ name: z.string(), "default-run": z.string().optional(), autobins: z.boolean().optional() })
    .optional(),
  bin: z.array(z.object({ name: z.string(), path: z.string().optional() })).default([]),
  workspace: z
    .object({
      members: z.array(z.string()).default([]),
      "default-members": z.array(z.string()).default([]),
      exclude: z.array(z.string()).default([]),
    })
    .optional(),
});

type Manifest = z.infer<typeof manifest>;

/**
 * The program to build: the only one, the one that `default-run` names, the root package's own, or the only one of
 * several that is called a server.
 * @throws SvcError framework_unknown with the list when there is none or more than one
 */
export function chooseCargoProgram(files: FileTree): CargoProgram {
  const root = readManifest(files, ".");
  if (!root) throw new SvcError("framework_unknown", "The repository has no Cargo.toml at its root. Add one.");
  const usual = folders(files, root.workspace?.["default-members"] ?? []);
  const members = folders(files, root.workspace?.members ?? []).filter(
    (folder) => !root.workspace?.exclude.includes(folder),
  );
  const groups = [root.package ? ["."] : [], usual, [".", ...members]];
  for (const group of groups) {
    const programs = group.flatMap((folder) => programsOf(files, folder));
    if (programs.length === 1) return programs[0]!;
    const chosen = programs.filter(({ isDefault }) => isDefault);
    if (chosen.length === 1) return chosen[0]!;
    const server = theServer(programs, ({ name }) => name);
    if (server) return { ...server, isGuess: true };
    if (programs.length > 1) throw severalPrograms(programs);
  }
  throw noProgram();
}

function readManifest(files: FileTree, folder: string): Manifest | undefined {
  return readToml(files, posix.join(folder, "Cargo.toml"), manifest);
}

/** Members as a workspace names them: folders, or all folders in one (`crates/*`). */
function folders(files: FileTree, patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => {
    const path = posix.normalize(pattern).replace(/\/$/, "");
    if (!path.endsWith("/*") && path !== "*") return [path];
    const parent = posix.dirname(path);
    const inside = files.list(parent === "." ? "" : parent).filter((name) => name.endsWith("/"));
    return inside.map((name) => posix.join(parent, name.slice(0, -1)));
  });
}

type Found = CargoProgram & { isDefault: boolean };

function programsOf(files: FileTree, folder: string): Found[] {
  const read = readManifest(files, folder);
  if (!read?.package) return [];
  const { name: packageName, "default-run": byDefault, autobins } = read.package;
  const paths = new Map<string, string>();
  if (autobins !== false) {
    if (files.read(posix.join(folder, "src/main.rs")) !== undefined) paths.set(packageName, "src/main.rs");
    for (const [name, path] of filesInBin(files, folder)) paths.set(name, path);
  }
  for (const { name, path } of read.bin) {
    const declared = path ?? paths.get(name) ?? "src/main.rs";
    // A declared program may be one of the usual files under another name.
    for (const [other, otherPath] of paths) if (otherPath === posix.normalize(declared)) paths.delete(other);
    paths.set(name, posix.normalize(declared));
  }
  return [...paths].map(([name, path]) => ({
    package: packageName,
    name,
    source: files.read(posix.join(folder, path)) ?? "",
    isDefault: name === byDefault,
  }));
}

function filesInBin(files: FileTree, folder: string): [string, string][] {
  return files.list(posix.join(folder, "src/bin")).flatMap((entry): [string, string][] => {
    if (entry.endsWith(".rs")) return [[entry.slice(0, -3), `src/bin/${entry}`]];
    const inside = `src/bin/${entry}main.rs`;
    return entry.endsWith("/") && files.read(posix.join(folder, inside)) !== undefined
      ? [[entry.slice(0, -1), inside]]
      : [];
  });
}

const CHOOSE = "or say how it is built and started with `build` and `start` in svc.yaml.";

function noProgram(): SvcError {
  return new SvcError(
    "framework_unknown",
    "The Cargo package has no program: no src/main.rs, nothing in src/bin, no [[bin]], and no member of the workspace has " +
      `one. Add one, ${CHOOSE}`,
  );
}

function severalPrograms(programs: readonly CargoProgram[]): SvcError {
  const list = programs.map(({ name }) => name).join(", ");
  return new SvcError(
    "framework_unknown",
    `The repository has several Rust programs (${list}). Name one with \`default-run\` in its package's Cargo.toml, ${CHOOSE}`,
  );
}
