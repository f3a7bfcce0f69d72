import { posix } from "node:path";
import { parseDocument } from "yaml";
import * as z from "zod";
import { SvcError } from "../../../errors.ts";
import { folderMatcher } from "../../repository/folder-glob.ts";
import type { FileTree } from "../../repository/file-tree.ts";
import { readPackage, type NodePackage } from "../project/node-package.ts";

/** A package of a workspace. */
export interface Member {
  /** The path from the workspace's top. */
  folder: string;
  pkg: NodePackage;
}

const patterns = z.array(z.string());
const pnpmWorkspace = z.object({ packages: patterns });
const packageWorkspaces = z.union([patterns, pnpmWorkspace]);

/** The patterns of the folders that a workspace is made of; undefined where there is no workspace's top. */
export function workspacePatterns(files: FileTree, pkg: NodePackage): readonly string[] | undefined {
  const yaml = files.read("pnpm-workspace.yaml");
  const fromYaml = yaml === undefined ? undefined : pnpmWorkspace.safeParse(readYaml(yaml)).data?.packages;
  if (fromYaml !== undefined) return fromYaml;
  const { data } = packageWorkspaces.safeParse(pkg.workspaces);
  return Array.isArray(data) ? data : data?.packages;
}

/** A person's has some ten lines. */
const YAML_LENGTH_MAX = 64 * 1024;

function readYaml(text: string): unknown {
  if (text.length > YAML_LENGTH_MAX) return undefined;
  try {
    // The library compares each name with every other when it looks for those that are given twice.
    return parseDocument(text, { uniqueKeys: false, logLevel: "error" }).toJS({ maxAliasCount: 10 });
  } catch {
    return undefined;
  }
}

/** A folder that means the same in a Dockerfile and in a shell; packages in others are not found. */
const PLAIN_FOLDER = /^[\w@+][\w.@+-]*(?:\/[\w@+][\w.@+-]*)*$/;

/** Deeper and wider than repositories are that people look through. */
const DEPTH_MAX = 5;
const FOLDERS_MAX = 2000;
/** Two thousand of 4 KiB each; a person's has under 2 KiB. */
const PACKAGES_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * The workspace's packages, in the order of their folders.
 * @throws SvcError invalid_request when their package.json files are too large to be read
 */
export function findMembers(files: FileTree, globs: readonly string[]): Member[] {
  const isMember = folderMatcher(globs);
  const packages = withinLength(files);
  const members: Member[] = [];
  const waiting = [{ folder: "", depth: 0 }];
  for (let seen = 0, next = waiting.shift(); next && seen < FOLDERS_MAX; seen += 1, next = waiting.shift()) {
    const { folder, depth } = next;
    const names = files.list(folder);
    if (PLAIN_FOLDER.test(folder) && names.includes("package.json") && isMember(folder)) {
      const pkg = readPackage(packages, posix.join(folder, "package.json"));
      if (pkg) members.push({ folder, pkg });
    }
    if (depth === DEPTH_MAX) continue;
    const inside = names.filter((name) => name.endsWith("/") && !/^(?:\.|node_modules\/)/.test(name));
    waiting.push(
      ...inside
        .slice(0, FOLDERS_MAX)
        .map((name) => ({ folder: posix.join(folder, name.slice(0, -1)), depth: depth + 1 })),
    );
  }
  return members.toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

function withinLength(files: FileTree): FileTree {
  let length = 0;
  return {
    list: (folder) => files.list(folder),
    read(path) {
      const text = files.read(path);
      length += text?.length ?? 0;
      if (length <= PACKAGES_LENGTH_MAX) return text;
      throw new SvcError(
        "invalid_request",
        `The package.json files of the workspace have more than ${PACKAGES_LENGTH_MAX / 1024 ** 2} MiB in all, and are not read: ` +
          "take folders that are no packages out of its `workspaces`.",
      );
    },
  };
}
