/** A repository, as far as telling what it is needs. Paths are relative, with `/`. */
export interface FileTree {
  /**
   * Names of the files in a folder; of folders, with a `/` at the end. Empty when there is no such folder.
   *
   * @param folder the root when omitted
   */
  list(folder?: string): readonly string[];
  /** The text of a regular file inside the tree; undefined when there is none. Large files may be cut. */
  read(path: string): string | undefined;
}
