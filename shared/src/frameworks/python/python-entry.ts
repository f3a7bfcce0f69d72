import { posix } from "node:path";
import { SvcError } from "../../errors.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { dependencySign, extraSign } from "./python-project.ts";

/** Where an app object is, for a server's command line. */
export interface PythonEntry {
  /** Dotted, as it is imported. */
  module: string;
  /** The object, or the function that makes it. */
  name: string;
  isFactory: boolean;
  /** Folder that modules are imported from; "." for the root. */
  importedFrom: string;
}

/** Microframeworks, and the class that their apps are made of. */
const CLASSES: Readonly<Record<string, string>> = { fastapi: "FastAPI", flask: "Flask" };

/**
 * "`flask` in requirements.txt". Where the repository has signs of something else too (another such framework, a
 * package.json), or names it in an extra, that is not enough: a file has to make the app.
 * @throws SvcError framework_unknown when two files make apps of two frameworks
 */
export function microframeworkSign(files: FileTree, name: string): string | undefined {
  const sign = dependencySign(files, name);
  const entry =
    sign === undefined && extraSign(files, name) === undefined ? undefined : findEntry(files, CLASSES[name]!);
  if (!entry) return hasOtherSign(files, name) ? undefined : sign;
  for (const [other, className] of Object.entries(CLASSES)) {
    const rival = other !== name && dependencySign(files, other) ? findEntry(files, className) : undefined;
    if (rival && rival.module !== entry.module) throw severalApps([name, entry], [other, rival]);
  }
  return sign ?? extraSign(files, name);
}

function hasOtherSign(files: FileTree, name: string): boolean {
  const isOther = Object.keys(CLASSES).some((other) => other !== name && dependencySign(files, other) !== undefined);
  return isOther || files.list().includes("package.json");
}

function severalApps(...apps: readonly (readonly [string, PythonEntry])[]): SvcError {
  const list = apps.map(([name, entry]) => `${name} in ${entry.module}`).join(", ");
  return new SvcError(
    "framework_unknown",
    `The repository has apps of several frameworks (${list}), and nothing says which is started. ` +
      "Name the framework with `framework`.",
  );
}

/** File names that hold the app by custom, the likeliest first. */
const USUAL_FILES = ["main.py", "app.py", "application.py", "server.py", "api.py", "wsgi.py", "asgi.py", "run.py"];
const USUAL_FOLDERS = ["app", "src", "api", "backend", "server"];
const LEFT_OUT =
  /^(?:\.|_|tests?$|docs?$|examples?$|scripts?$|migrations$|alembic$|venv$|env$|node_modules$|static$|templates$)/;

/** The most folders that are looked at; longer files are read in part. */
const FOLDERS_MAX = 40;
const FILES_MAX = 200;
const TEXT_CHARACTERS_MAX = 128 * 1024;

/**
 * The module and name of the app, found in the text of the usual files: an object made of the class first, then one made
 * by a factory, then a factory that needs no arguments.
 *
 * @param className "FastAPI", "Flask"
 */
export function findEntry(files: FileTree, className: string): PythonEntry | undefined {
  const sources = sourceFiles(files);
  for (const search of [objectIn, factoryIn]) {
    for (const path of sources) {
      const text = (files.read(path) ?? "").slice(0, TEXT_CHARACTERS_MAX);
      const found = search(text, className);
      if (found !== undefined) return entryOf(files, path, text, found, search === factoryIn);
    }
  }
  return undefined;
}

/** This is far more than a factory has; each that has no end is read so far. */
const PARAMETERS_CHARACTERS_MAX = 2000;

const FACTORY = String.raw`(?:create|make|build|get)_(?:\w+_)?app(?:lication)?|app_factory`;

function objectIn(text: string, className: string): string | undefined {
  const made = new RegExp(String.raw`^(\w+)[ \t]*(?::[^=\n]+)?=[ \t]*(?:\w+\.)*(?:${className}|${FACTORY})\(`, "m");
  return made.exec(text)?.[1];
}

/** Only one whose parameters all have defaults can be called by a server. */
function factoryIn(text: string, className: string): string | undefined {
  if (!new RegExp(String.raw`\b${className}\(`).test(text)) return undefined;
  for (const { 0: beginning, 1: name, index } of text.matchAll(new RegExp(`^def[ \t]+(${FACTORY})[ \t]*\\(`, "gm"))) {
    const start = index + beginning.length;
    const [parameters, rest] = text.slice(start, start + PARAMETERS_CHARACTERS_MAX).split(")", 2);
    if (rest === undefined) continue;
    const needed = parameters!.split(",").filter((one) => one.trim() !== "" && !/=|^\s*\*/.test(one));
    if (needed.length === 0) return name;
  }
  return undefined;
}

function sourceFiles(files: FileTree): string[] {
  const folders = ["", ...foldersIn(files, ""), ...foldersIn(files, "src")].slice(0, FOLDERS_MAX);
  const found = folders.flatMap((folder) => {
    const names = files.list(folder).filter((name) => /^\w+\.py$/.test(name));
    const others = names.filter((name) => !USUAL_FILES.includes(name) && !/^(?:test_|conftest|setup)/.test(name));
    const usual = USUAL_FILES.filter((name) => names.includes(name));
    return [...usual, ...others].map((name) => posix.join(folder, name));
  });
  return found.slice(0, FILES_MAX);
}

function foldersIn(files: FileTree, parent: string): string[] {
  const names = files.list(parent).flatMap((name) => (/^[\w-]+\/$/.test(name) ? [name.slice(0, -1)] : []));
  const usual = USUAL_FOLDERS.filter((name) => names.includes(name));
  const others = names.filter((name) => !USUAL_FOLDERS.includes(name) && !LEFT_OUT.test(name));
  return [...usual, ...others].map((name) => posix.join(parent, name));
}

function entryOf(files: FileTree, path: string, text: string, name: string, isFactory: boolean): PythonEntry {
  const importedFrom = importFolder(files, path, text);
  const inside = posix.relative(importedFrom, path).replace(/(?:\/__init__)?\.py$/, "");
  return { module: inside.replaceAll("/", "."), name, isFactory, importedFrom };
}

/** The root, except for packages of a src layout and for files that import their neighbours by bare name. */
function importFolder(files: FileTree, path: string, text: string): string {
  const folder = posix.dirname(path);
  if (folder === "." || path.endsWith("/__init__.py")) return folder.startsWith("src/") ? "src" : ".";
  if (folder.startsWith("src/")) return "src";
  return importsNeighbours(files, folder, text) ? folder : ".";
}

function importsNeighbours(files: FileTree, folder: string, text: string): boolean {
  const modules = (names: readonly string[]): Set<string> =>
    new Set(names.map((name) => name.replace(/\.py$|\/$/, "")));
  const neighbours = modules(files.list(folder));
  const atRoot = modules(files.list());
  const imported = [...text.matchAll(/^(?:from|import)[ \t]+(\w+)/gm)].map(([, name]) => name!);
  return imported.some((name) => neighbours.has(name) && !atRoot.has(name));
}
