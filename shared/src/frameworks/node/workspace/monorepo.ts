import { SvcError } from "../../../errors.ts";
import { folderTree } from "../../repository/folder-tree.ts";
import type { FileTree } from "../../repository/file-tree.ts";
import type { Framework } from "../../framework.ts";

export interface FolderApp {
  folder: string;
  framework: string;
}

/** Folders that hold apps, one in each of their own folders, where repositories hold several. */
const HOLDERS = ["apps/", "packages/", "services/", "projects/", "sites/"];

/** Folders whose contents are not apps of the repository, though they may look like one. */
const OTHERS = /^(?:\.|node_modules\/|vendor\/|dist\/|build\/|public\/|docs?\/|tests?\/|examples?\/)/;

/** A person's repository has some ten; each is read from the disk. */
const FOLDERS_MAX = 30;

/** Lists the apps recognised one level below the root, or below a folder of apps. */
export function appsInFolders(files: FileTree, frameworks: readonly Framework[]): FolderApp[] {
  const tops = files.list().filter((name) => name.endsWith("/") && !OTHERS.test(name));
  const folders = tops.flatMap((top) =>
    HOLDERS.includes(top) ? folderNames(files, top).map((name) => top + name) : [top],
  );
  const found = folders.slice(0, FOLDERS_MAX).flatMap((folder) => {
    const framework = recognised(folderTree(files, folder.slice(0, -1)), frameworks);
    return framework === undefined ? [] : [{ folder: folder.slice(0, -1), framework }];
  });
  return found.toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

function folderNames(files: FileTree, folder: string): string[] {
  return files.list(folder.slice(0, -1)).filter((name) => name.endsWith("/") && !OTHERS.test(name));
}

function recognised(files: FileTree, frameworks: readonly Framework[]): string | undefined {
  try {
    return frameworks.find((one) => one.recognise(files) !== undefined)?.name;
  } catch (error) {
    // A folder that cannot be understood is none to name.
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}
