import { SvcError } from "../../errors.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { importedModules } from "../javascript/imported-modules.ts";
import type { Framework } from "../framework.ts";
import { planNodeServer } from "./node-dockerfile.ts";
import { startSign } from "./node-app.ts";
import { dependencySign, readPackage, type NodePackage } from "./project/node-package.ts";
import { scriptCommand } from "./project/start-script.ts";

/** Frameworks whose apps are a program of the user's own. */
const SERVERS = ["express", "fastify", "hono"] as const;

type Server = (typeof SERVERS)[number];

/** Stands in the order in which they are tried. */
export const SERVER_FRAMEWORKS: readonly Framework[] = (["express", "hono", "fastify"] as const).map((name) => ({
  name,
  recognisedBy: `a package.json with \`${name}\` in its dependencies`,
  recognise: (files) => serverSign(files, name),
  plan: planNodeServer,
}));

/**
 * Why the app is one of this framework. Where several are among the dependencies, the one that the started program
 * imports.
 * @throws SvcError framework_unknown when that does not tell
 */
function serverSign(files: FileTree, name: Server): string | undefined {
  const pkg = readPackage(files);
  if (!pkg || !startsServer(files, pkg)) return undefined;
  const listed = SERVERS.filter((server) => pkg.dependencies[server] !== undefined);
  if (!listed.includes(name)) return undefined;
  if (listed.length === 1) return dependencySign(pkg, name);
  const { server, path } = startedServer(files, pkg, listed);
  return server === name ? `\`${name}\` in dependencies, and used by ${path}` : undefined;
}

/** A server framework may be listed and not be what the app is: pages that Vite builds, the root of a monorepo. */
function startsServer(files: FileTree, pkg: NodePackage): boolean {
  if (/^(?:vite|serve|http-server)\b/.test(pkg.scripts.start?.trim() ?? "")) return false;
  const isMoreThanServer = pkg.workspaces !== undefined || files.list().includes("index.html");
  return startSign(files, pkg) !== undefined || !isMoreThanServer;
}

function startedServer(files: FileTree, pkg: NodePackage, listed: readonly Server[]): { server: Server; path: string } {
  if (/^fastify start\b/.test(pkg.scripts.start ?? "")) return { server: "fastify", path: "the start script" };
  const looked: string[] = [];
  for (const path of entryFiles(files, pkg)) {
    for (const file of [path, ...localImports(files, path)]) {
      looked.push(file);
      const modules = importedModules(files.read(file) ?? "");
      const used = listed.filter((server) => modules.some((one) => one === server || one.startsWith(`${server}/`)));
      if (used.length === 1) return { server: used[0]!, path: file };
    }
  }
  const where = looked.length === 0 ? "no file that the start script or `main` names is there" : looked.join(", ");
  throw new SvcError(
    "framework_unknown",
    `The repository depends on ${listed.join(" and ")}, and it does not tell which of them is started ` +
      `(looked at: ${where}). Say it with \`framework\`, or remove the one that is not used.`,
  );
}

/** Lists the files that are started, and those that they are compiled from. */
function entryFiles(files: FileTree, pkg: NodePackage): string[] {
  const { command } = pkg.scripts.start === undefined ? { command: undefined } : scriptCommand(pkg.scripts, "start");
  const words = command?.form === "exec" ? command.words : (command?.line.split(/\s+/) ?? []);
  const named = [
    ...words.filter((word) => /^[\w./-]*[/\w]$/.test(word)),
    ...(pkg.main === undefined ? [] : [pkg.main]),
  ];
  const usual = ["server", "index", "app", "src/server", "src/index", "src/main", "src/app"];
  const candidates = [...named.flatMap(sourcesOf), ...usual.flatMap(withEndings)];
  return [...new Set(candidates)].filter((path) => files.read(path) !== undefined).slice(0, ENTRIES_MAX);
}

/** The first that exists is nearly always it. */
const ENTRIES_MAX = 3;

function sourcesOf(word: string): string[] {
  const path = word.replace(/^\.\//, "");
  const stem = path.replace(/\.[cm]?[jt]s$/, "");
  const source = stem.replace(/^(?:dist|build|out|lib)\//, "");
  const stems = source === stem ? [stem] : [stem, `src/${source}`, source];
  return [path, ...stems.flatMap((one) => withEndings(one).concat(withEndings(`${one}/index`)))];
}

function withEndings(stem: string): string[] {
  return ["js", "ts", "mjs", "cjs", "mts", "tsx"].map((ending) => `${stem}.${ending}`);
}

/** Files beside the entry that it imports: `bin/www` of Express's generator is one line more than its app. */
function localImports(files: FileTree, path: string): string[] {
  const folder = path.split("/").slice(0, -1);
  const found = importedModules(files.read(path) ?? "").filter((module) => /^\.{1,2}\//.test(module));
  return found.slice(0, IMPORTS_MAX).flatMap((specifier) => {
    const parts = [...folder];
    for (const part of specifier.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== ".") parts.push(part);
    }
    return sourcesOf(parts.join("/"))
      .filter((one) => files.read(one) !== undefined)
      .slice(0, 1);
  });
}

/** An entry that imports more than this is no entry but an app. */
const IMPORTS_MAX = 30;
