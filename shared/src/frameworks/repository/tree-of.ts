import type { FileTree } from "./file-tree.ts";

/** A repository whose files are known already: path to text. */
export function treeOf(files: Readonly<Record<string, string>>): FileTree {
  return {
    list: (folder = "") => {
      const prefix = folder === "" ? "" : `${folder.replace(/\/$/, "")}/`;
      const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
      return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*/s, "/")))];
    },
    read: (path) => files[path],
  };
}
