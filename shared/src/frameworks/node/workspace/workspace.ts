import { posix } from "node:path";
import { folderMatcher } from "../../repository/folder-glob.ts";
import { folderTree } from "../../repository/folder-tree.ts";
import type { FileTree } from "../../repository/file-tree.ts";
import { readPackage, type NodePackage } from "../project/node-package.ts";
import { findMembers, workspacePatterns, type Member } from "./workspace-members.ts";

/** A workspace of npm, pnpm, yarn or bun, as one of its packages sees it. */
export interface Workspace {
  /** Folder of the repository that has its lock file; empty for the repository's top. */
  top: string;
  /** The files at the workspace's top. */
  files: FileTree;
  pkg: NodePackage;
  /** The package that is the app. */
  app: Member;
  members: readonly Member[];
  /** The members that the app depends on, each after its own dependencies. */
  dependencies: readonly Member[];
}

/** The workspace that a folder of the repository is a package of; undefined when it is none. */
export function findWorkspace(repository: FileTree, root: string): Workspace | undefined {
  if (root === "" || repository.read(posix.join(root, "package.json")) === undefined) return undefined;
  for (let top = parentOf(root); ; top = parentOf(top)) {
    const workspace = workspaceAt(folderTree(repository, top), top, posix.relative(top, root));
    if (workspace || top === "") return workspace;
  }
}

function parentOf(folder: string): string {
  const parent = posix.dirname(folder);
  return parent === "." ? "" : parent;
}

function workspaceAt(files: FileTree, top: string, folder: string): Workspace | undefined {
  const pkg = readPackage(files);
  const globs = pkg && workspacePatterns(files, pkg);
  if (!pkg || globs === undefined || !folderMatcher(globs)(folder)) return undefined;
  const members = findMembers(files, globs);
  const app = members.find((member) => member.folder === folder);
  return app && { top, files, pkg, app, members, dependencies: dependenciesOf(app, members) };
}

function dependenciesOf(app: Member, members: readonly Member[]): Member[] {
  const byName = new Map(
    members.flatMap((member) => (member.pkg.name === undefined ? [] : [[member.pkg.name, member]])),
  );
  const seen = new Set<Member>([app]);
  const ordered: Member[] = [];
  const visit = ({ pkg }: Member): void => {
    for (const name of Object.keys({ ...pkg.dependencies, ...pkg.devDependencies, ...pkg.peerDependencies })) {
      const member = byName.get(name);
      if (member === undefined || seen.has(member)) continue;
      seen.add(member);
      visit(member);
      ordered.push(member);
    }
  };
  visit(app);
  return ordered;
}

/** The tool that runs the scripts of several packages in their order, where the workspace has one. */
export type TaskRunner = "turbo" | "nx";

export function taskRunner({ files, pkg }: Workspace): TaskRunner | undefined {
  const names = { ...pkg.dependencies, ...pkg.devDependencies };
  const runners = ["turbo", "nx"] as const;
  return runners.find((name) => names[name] !== undefined && files.read(`${name}.json`) !== undefined);
}
