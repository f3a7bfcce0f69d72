import { posix } from "node:path";
import { SvcError } from "../errors.ts";
import { FRAMEWORK_NAMES } from "../rules/frameworks.ts";
import { keepsShell, type StartCommand } from "../spec/start-command.ts";
import { requirePublicKeys } from "./dockerfile/build-env.ts";
import { folderTree } from "./repository/folder-tree.ts";
import { appsInFolders, type FolderApp } from "./node/workspace/monorepo.ts";
import type { FileTree } from "./repository/file-tree.ts";
import type { BuildPlan, Framework, PlanInput } from "./framework.ts";
import { processesNotRun, procfileStart } from "./repository/procfile.ts";
import { FRAMEWORKS } from "./table.ts";
import { findWorkspace } from "./node/workspace/workspace.ts";
import { readPackage } from "./node/project/node-package.ts";

/**
 * Decides how the files become an image. A framework that is named wins over every sign in the files, a Dockerfile
 * included. The app is started with what the user gave, else with the `web` line of a Procfile, else as the framework says.
 *
 * @param repository all of its files, of which those in `input.root` are built
 * @param framework what the user named; undefined to detect
 * @throws SvcError framework_unknown, invalid_request (a build variable without a public prefix, a Procfile that cannot be run)
 */
export function planBuild(repository: FileTree, framework: string | undefined, input: PlanInput): BuildPlan {
  requirePublicKeys(input.buildEnvKeys);
  const { root = "" } = input;
  requireFolder(repository, root);
  const files = folderTree(repository, root);
  const { chosen, reason } = framework === undefined ? detect(files) : named(files, framework);
  const declared = input.start === undefined ? procfileStart(files) : undefined;
  const start = input.start ?? (chosen.ignoresProcfile === undefined ? declared : undefined);
  const plan = chosen.plan(files, { ...input, start, workspace: findWorkspace(repository, root) });
  const ignored = declared === undefined || chosen.ignoresProcfile === undefined ? [] : [chosen.ignoresProcfile];
  const notes = [...plan.notes, ...ignored, ...notRunNotes(files), ...shellNotes(start)];
  return { framework: chosen.name, reason, ...plan, context: plan.context ?? root, notes };
}

/** @throws SvcError invalid_request when the repository has no such folder, or nothing is in it */
function requireFolder(repository: FileTree, root: string): void {
  if (root === "" || repository.list(root).length > 0) return;
  const parent = posix.dirname(root);
  const beside = repository.list(parent === "." ? "" : parent).filter((name) => name.endsWith("/"));
  const names = beside.slice(0, APPS_NAMED_MAX).map((name) => posix.join(parent, name).slice(0, -1));
  const others = names.length === 0 ? "" : ` Folders that are there: ${names.join(", ")}.`;
  throw new SvcError(
    "invalid_request",
    `The repository has no folder ${JSON.stringify(root)}, which is its \`root\`.${others}`,
  );
}

function notRunNotes(files: FileTree): string[] {
  const types = processesNotRun(files);
  if (types.length === 0) return [];
  const shown = types.slice(0, TYPES_NAMED_MAX).join(", ");
  return [`Only \`web\` of the Procfile is run. Not run: ${shown}${types.length > TYPES_NAMED_MAX ? ", …" : ""}.`];
}

/** This is more than a Procfile has. */
const TYPES_NAMED_MAX = 20;

function shellNotes(start: StartCommand | undefined): string[] {
  if (start === undefined || !keepsShell(start)) return [];
  return [
    "The start command is more than one command, so that a shell stays between the signal to stop and the app, which is " +
      "then ended at once. With one command, or `exec` in front of the last one, the app is told to stop.",
  ];
}

interface Choice {
  chosen: Framework;
  reason: string;
}

function named(files: FileTree, name: string): Choice {
  const [chosen, ...others] = FRAMEWORKS.filter((one) => one.name === name).toReversed();
  // Several kinds of a static site have one name, the most general last.
  const special = others.find((one) => one.recognise(files) !== undefined);
  if (chosen)
    return { chosen: special ?? chosen, reason: "named by `framework`, in the app's settings or its spec file" };
  const supported = FRAMEWORK_NAMES.join(", ");
  throw new SvcError("framework_unknown", `${JSON.stringify(name)} cannot be built yet. Choose one of: ${supported}.`);
}

function detect(files: FileTree): Choice {
  for (const chosen of FRAMEWORKS) {
    const reason = chosen.recognise(files);
    if (reason !== undefined) return { chosen, reason };
  }
  const apps = appsInFolders(files, FRAMEWORKS);
  if (apps.length > 0) throw severalApps(apps);
  throw new SvcError(
    "framework_unknown",
    `The repository can't be recognised: ${whatWasSeen(files)}. ` +
      "Add a Dockerfile, a start script or a Procfile, or name the `framework`; `svc plan` lists what is looked for.",
  );
}

/** Lists what is looked for at a repository's root, a line each. */
export function signsOfFrameworks(): string[] {
  return FRAMEWORKS.map((one) => `${one.name}: ${one.recognisedBy}`);
}

function severalApps(apps: readonly FolderApp[]): SvcError {
  const found = apps.slice(0, APPS_NAMED_MAX).map(({ folder, framework }) => `${folder} (${framework})`);
  return new SvcError(
    "framework_unknown",
    `No app was found at the repository's root, which is what is built; looked for were a Dockerfile and the signs of ` +
      `${FRAMEWORKS.length - 1} frameworks. There are some in folders: ${found.join(", ")}. Name the one you want with ` +
      `\`root\`, such as ${apps[0]!.folder}: in the app's settings, with \`svc up --root\`, or in a spec file of svc/v2.`,
  );
}

/** This is as many as a person compares. */
const APPS_NAMED_MAX = 10;

/** This is as many as a person takes in. */
const NAMED_MAX = 5;

/**
 * Says in words what the root of a repository has that no framework is recognised by: "package.json has `build` but no
 * `start`".
 */
function whatWasSeen(files: FileTree): string {
  const pkg = readPackage(files);
  if (pkg) {
    const scripts = Object.keys(pkg.scripts).slice(0, NAMED_MAX);
    const has = scripts.length === 0 ? "no scripts" : `${listed(scripts.map(quoted))} but no \`start\``;
    return `package.json has ${has}, and no program that \`main\`, server.js or index.js would name`;
  }
  const python = ["requirements.txt", "pyproject.toml"].find((name) => files.read(name) !== undefined);
  if (python !== undefined) return `${python} names none of Django, FastAPI and Flask`;
  if (files.read("Gemfile") !== undefined) return "its Gemfile does not name `rails`";
  const names = files.list().filter((name) => !name.startsWith("."));
  if (names.length === 0) return "there is no file at its root";
  const others = names.length - NAMED_MAX;
  const more = others > 0 ? [`${others} more`] : [];
  return `at its root there are ${listed([...names.slice(0, NAMED_MAX).map(shown), ...more])}`;
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function quoted(name: string): string {
  return `\`${shown(name)}\``;
}

/** A name may be of any length, and hold what a terminal obeys. */
function shown(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 60);
}
