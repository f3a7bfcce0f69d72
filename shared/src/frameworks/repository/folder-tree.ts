import { posix } from "node:path";
import type { FileTree } from "./file-tree.ts";

/** A folder of the files as if it were all of them. @param folder empty for all of them */
export function folderTree(files: FileTree, folder: string): FileTree {
  if (folder === "") return files;
  return {
    list: (inner = "") => files.list(inner === "" ? folder : posix.join(folder, inner)),
    read: (path) => files.read(posix.join(folder, path)),
  };
}
