import { posix } from "node:path";
import { SvcError } from "../../errors.ts";
import type { StartCommand } from "../../spec/start-command.ts";
import { BUILD_FOLDER } from "../javascript/computed-path.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { PlanInput } from "../framework.ts";
import type { Setting } from "../repository/found-setting.ts";
import { dependencySign, requirePackage, type NodePackage } from "./project/node-package.ts";
import { nodeVersion } from "./project/node-version.ts";
import { choosePackageManager, type PackageManager } from "./project/package-manager.ts";
import { procfileStart } from "../repository/procfile.ts";
import { calledScript, scriptCommand } from "./project/start-script.ts";

/** An app of Node's world as its plan sees it. */
export interface NodeApp {
  files: FileTree;
  input: PlanInput;
  pkg: NodePackage;
  /** Its folder in the build's file system. */
  folder: string;
  manager: PackageManager;
  /** Official name of the base image. */
  base: string;
  notes: readonly string[];
}

/** @throws SvcError framework_unknown when there is no package.json, or it cannot be read */
export function readNodeApp(files: FileTree, input: PlanInput): NodeApp {
  const pkg = requirePackage(files);
  const top = input.workspace ?? { files, pkg };
  const { manager, notes } = choosePackageManager(top.files, top.pkg);
  const own = nodeVersion(files, pkg);
  const { major, from, note } = own.from === undefined ? nodeVersion(top.files, top.pkg) : own;
  const used = [`Node ${major}${from === undefined ? "" : ` (\`${from}\`)`}`, manager.label];
  const all = [`${used.join(", ")}.`, ...notes, ...(note === undefined ? [] : [note])];
  const folder = posix.join(BUILD_FOLDER, input.workspace?.app.folder ?? "");
  const started = { ...input, start: ownStart(pkg, input.start) };
  return { files, input: started, pkg, folder, manager, base: `node:${major}-slim`, notes: all };
}

/** Returns a start command beyond `npm start`, which says nothing that the start script does not. */
function ownStart({ scripts }: NodePackage, start: StartCommand | undefined): StartCommand | undefined {
  return start?.form === "exec" && calledScript(scripts, start.words) === "start" ? undefined : start;
}

/** Scripts that a package manager runs while it installs; they may need the sources, and development dependencies. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/** Scripts of new projects that do no harm, and are of no use, where there are no sources yet. */
const HARMLESS_SCRIPT = /^(?:nux[ti] prepare|husky(?: install)?|simple-git-hooks|lefthook install|is-ci|true|exit 0)$/;

export function hasInstallScripts({ pkg }: NodeApp): boolean {
  return INSTALL_SCRIPTS.some((name) => pkg.scripts[name] !== undefined);
}

/** Whether the installation needs more of the repository than its manifests. */
export function installsFromSources({ pkg, files, input: { workspace } }: NodeApp): boolean {
  if (workspace)
    return [workspace, ...workspace.members].some(({ pkg: one }) => needsSources(one) || dependsOn(one, FOLDERS));
  const hasWorkspaces = pkg.workspaces !== undefined || files.read("pnpm-workspace.yaml")?.includes("packages:");
  return needsSources(pkg) || dependsOn(pkg, FOLDERS) || dependsOn(pkg, /^workspace:/) || hasWorkspaces === true;
}

/** Whether a script that is run by the installation needs more than the manifests. */
function needsSources({ scripts }: NodePackage): boolean {
  return INSTALL_SCRIPTS.some((name) =>
    (scripts[name] ?? "true").split(/&&|\|\|/).some((part) => !HARMLESS_SCRIPT.test(part.trim())),
  );
}

/** Dependencies that lie in the repository, and in no workspace. */
const FOLDERS = /^(?:file|link|portal):/;

function dependsOn({ dependencies, devDependencies }: NodePackage, version: RegExp): boolean {
  return Object.values({ ...dependencies, ...devDependencies }).some((one) => version.test(one));
}

/** An option that the build command gives its tool: `vite build --outDir web`. @param tool the part of a line that calls it */
export function commandOption({ input, pkg }: NodeApp, tool: RegExp, option: string): Setting | undefined {
  const lines = (input.build ?? pkg.scripts.build ?? "").split(/&&|\|\||[;|\n]/);
  const line = lines.find((one) => tool.test(one));
  const [, value] = new RegExp(`\\s--${option}(?:=|\\s+)["']?([^\\s"']+)`).exec(line ?? "") ?? [];
  return value === undefined ? undefined : { kind: "literal", value };
}

/** The command that starts the app. */
export interface Start {
  command: StartCommand;
  /** Is undefined when only a shell can tell. */
  program: string | undefined;
}

/**
 * Finds the start command: the user's, else the start script, else the framework's own, else the file that a new
 * project of bun names in its one script, else a file that is usually it.
 * @throws SvcError framework_unknown when nothing starts it
 */
export function startOf({ files, input, pkg }: NodeApp, byDefault?: readonly string[]): Start {
  if (input.start !== undefined) return givenStart(pkg, input.start);
  const script = startScript(pkg);
  const isUsual = byDefault !== undefined && script !== undefined && isDevelopmentServer(pkg.scripts[script]!);
  if (script !== undefined && !isUsual) return scriptCommand(pkg.scripts, script);
  if (byDefault !== undefined) return { command: { form: "exec", words: byDefault }, program: byDefault[0] };
  const entry = /^bun (?:run )?(?:--(?:hot|watch) )+([\w./-]+)$/.exec(pkg.scripts.dev?.trim() ?? "")?.[1];
  if (entry !== undefined) return { command: { form: "exec", words: ["bun", "run", entry] }, program: "bun" };
  const file = mainFile(files, pkg);
  if (file !== undefined) return { command: { form: "exec", words: ["node", file] }, program: "node" };
  throw new SvcError(
    "framework_unknown",
    "Nothing says how the app is started. Add a `start` script to package.json, such as `node index.js`.",
  );
}

function givenStart({ scripts }: NodePackage, start: StartCommand): Start {
  if (start.form === "shell") return { command: start, program: undefined };
  const script = calledScript(scripts, start.words);
  return script === undefined ? { command: start, program: start.words[0] } : scriptCommand(scripts, script);
}

function mainFile(files: FileTree, pkg: NodePackage): string | undefined {
  return [pkg.main, "server.js", "index.js"].find((name) => name !== undefined && files.read(name) !== undefined);
}

/**
 * Servers for the time of writing, which `npm start` is for in many a template: they watch the sources and build for
 * one reader.
 */
const DEVELOPMENT_SERVER = new RegExp(
  "^(?:cross-env )?(?:[A-Za-z_]\\w*=\\S* )*(?:npx )?" +
    "(?:(?:next|astro|nux[ti]|react-router|remix|wrangler|vercel|netlify) (?:vite:)?dev|vite(?: (?:dev|serve|-.*))?$|" +
    "react-scripts start|ng serve|vue-cli-service serve|webpack(?:-dev-server| serve)|parcel|gatsby develop|" +
    "docusaurus start|expo start|react-app-rewired start|craco start|vitepress dev|storybook|live-server|lite-server|" +
    "browser-sync|(?:@11ty/)?eleventy .*--(?:serve|watch))\\b",
);

/** `start`, or what templates whose `start` is for development call the other one: Nest's, and Angular's with a server. */
export function startScript({ scripts }: NodePackage): string | undefined {
  if (scripts.start === undefined) return undefined;
  const isForDevelopment = isDevelopmentServer(scripts.start) || /^nest start\b/.test(scripts.start);
  const other = Object.keys(scripts).find((name) => /^(?:start:prod$|serve:ssr:)/.test(name));
  return isForDevelopment && other !== undefined ? other : "start";
}

export function isDevelopmentServer(script: string): boolean {
  return DEVELOPMENT_SERVER.test(script.trim());
}

/** Whether the script does no more than to serve the files that are there. */
export function servesFiles(script: string): boolean {
  return /^(?:npx )?(?:live-server|lite-server|browser-sync|http-server|serve)\b/.test(script.trim());
}

/** Scripts of a monorepo's tools start what lies in its folders, and nothing at its root. */
const MONOREPO_TOOL = /^(?:turbo|nx|lerna)\b/;

const NODE_PROGRAMS = /^(?:exec )?(?:[A-Za-z_]\w*=\S* )*(?:node|npm|npx|pnpm|yarn|bun|bunx)(?= )/;

/** Whether a Procfile starts the app with more than its start script. */
export function hasProcfileStart(files: FileTree, pkg: NodePackage): boolean {
  const start = ownStart(pkg, procfileStart(files));
  if (start === undefined) return false;
  const line = start.form === "exec" ? start.words.join(" ") : start.line;
  if (servesFiles(line)) return false;
  return NODE_PROGRAMS.test(line) || dependencySign(pkg, /^[\w.-]*/.exec(line)![0]) !== undefined;
}

/** Says in words what starts the app; undefined when nothing does. */
export function startSign(files: FileTree, pkg: NodePackage): string | undefined {
  if (hasProcfileStart(files, pkg)) return "the `web` line of the Procfile, beside a package.json";
  const { start } = pkg.scripts;
  if (start !== undefined) return MONOREPO_TOOL.test(start) ? undefined : "a start script in package.json";
  if (pkg.main !== undefined && files.read(pkg.main) !== undefined) return "`main` in package.json";
  if (files.read("server.js") !== undefined) return "a package.json beside server.js";
  if (files.read("index.js") !== undefined) return "a package.json beside index.js";
  return undefined;
}
