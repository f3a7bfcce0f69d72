import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { FileTree } from "./file-tree.ts";

/** This is more than any manifest or Dockerfile; what is beyond is not read. */
const TEXT_BYTES_MAX = 1024 * 1024;

/** The files of a checkout. A symbolic link is followed only as far as it stays inside, and not into the repository's `.git`. */
export function checkoutFiles(directory: string): FileTree {
  // A folder is asked for by each framework, and may have a hundred thousand names.
  const lists = new Map<string, readonly string[]>();
  return {
    list(folder = "") {
      const names = lists.get(folder) ?? listInside(directory, folder);
      lists.set(folder, names);
      return names;
    },
    read: (path) => readInside(directory, path),
  };
}

function listInside(directory: string, folder: string): string[] {
  const path = folderInside(directory, folder);
  if (path === undefined) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.name !== ".git")
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .toSorted();
  } catch {
    // It is gone, or may not be read.
    return [];
  }
}

/** The folder's own path; undefined when there is none, or a link leads out of the checkout or into its `.git`. */
export function folderInside(directory: string, folder: string): string | undefined {
  try {
    const root = realpathSync(directory);
    const path = realpathSync(join(root, folder));
    return statSync(path).isDirectory() && (path === root || isOfCheckout(root, path)) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The first MiB of a regular file as text; undefined when it is missing, something else, or outside. */
export function readInside(directory: string, path: string): string | undefined {
  try {
    const file = realpathSync(join(directory, path));
    if (!isOfCheckout(realpathSync(directory), file)) return undefined;
    // A fifo would never open otherwise.
    return readText(openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  } catch {
    return undefined;
  }
}

/** Both paths without links. Git keeps no other folder of this name in a tree. */
function isOfCheckout(root: string, path: string): boolean {
  const inside = relative(root, path).split(sep);
  return inside[0] !== ".." && inside[0] !== ".git";
}

function readText(descriptor: number): string | undefined {
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stat.size, TEXT_BYTES_MAX));
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
