import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "@svc/shared/rules/ids.ts";
import { runGit } from "./run-git.ts";

/** Describes a template, and is not copied into what is made from it. */
export const MANIFEST_FILE = "svc-template.yaml";

/** The branch that a clone gets, and that a push must change to be deployed. */
const DEFAULT_BRANCH = "main";

/** The platform's name in the first commit. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "svc",
  GIT_AUTHOR_EMAIL: "svc@localhost",
  GIT_COMMITTER_NAME: "svc",
  GIT_COMMITTER_EMAIL: "svc@localhost",
};

/** Bare repositories, `<root>/<id>.git` each. */
export class RepositoryFolders {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** @throws Error when the folder can't be made: the disk is full, or not ours to write to */
  async ensureRoot(): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
  }

  /**
   * Makes the repository with everything of the folder but the manifest as its first commit.
   * @returns the commit
   * @throws Error when that fails; nothing of it is left then
   */
  async createFrom(id: string, folder: string, message: string): Promise<string> {
    const path = this.pathOf(id);
    try {
      await this.#init(id);
      const index = join(path, "first-commit.index");
      const env = { GIT_DIR: path, GIT_WORK_TREE: folder, GIT_INDEX_FILE: index, ...IDENTITY };
      await runGit(["-C", folder, "add", "--all", "--", ".", `:(exclude,top)${MANIFEST_FILE}`], env);
      await runGit(["-C", folder, "commit", "--quiet", "--no-verify", `--message=${message}`], env);
      await rm(index, { force: true });
      return await this.#git(id, ["rev-parse", "--verify", "HEAD^{commit}"]);
    } catch (error) {
      await this.remove(id);
      throw error;
    }
  }

  /** Makes the repository without any commit. @throws Error when that fails; nothing of it is left then */
  async createEmpty(id: string): Promise<void> {
    await this.#init(id).catch(async (error: unknown) => {
      await this.remove(id);
      throw error;
    });
  }

  async #init(id: string): Promise<void> {
    const branch = `--initial-branch=${DEFAULT_BRANCH}`;
    await runGit(["init", "--quiet", "--bare", "--template=", branch, this.pathOf(id)]);
  }

  /** The commit of the default branch; undefined while it has none. */
  async headOf(id: string): Promise<string | undefined> {
    return this.#commitOf(id, await this.#git(id, ["symbolic-ref", "HEAD"]));
  }

  /** The same after a push: where the default branch has no commit, one that has becomes the default, as on other hosts. */
  async headAfterPush(id: string): Promise<string | undefined> {
    const head = await this.headOf(id);
    if (head !== undefined) return head;
    const chosen = (await this.#branchAt(id, "refs/heads/master")) ?? (await this.#branchAt(id, "refs/heads"));
    if (chosen === undefined) return undefined;
    await this.#git(id, ["symbolic-ref", "HEAD", chosen.name]);
    return chosen.commit;
  }

  async #commitOf(id: string, name: string): Promise<string | undefined> {
    const found = await this.#branchAt(id, name);
    return found?.name === name ? found.commit : undefined;
  }

  /** The branch of that name or, where there is none, the first one below it. */
  async #branchAt(id: string, name: string): Promise<{ name: string; commit: string } | undefined> {
    const text = await this.#git(id, ["for-each-ref", "--count=1", "--format=%(objectname) %(refname)", name]);
    const [commit, found] = text.split(" ");
    return commit && found ? { name: found, commit } : undefined;
  }

  #git(id: string, argv: readonly string[]): Promise<string> {
    return runGit(["--git-dir", this.pathOf(id), ...argv]);
  }

  /** Sums the bytes of the folder's files: what an aborted push has left counts too. */
  sizeOf(id: string): Promise<number> {
    return bytesIn(this.pathOf(id));
  }

  /** How many branches, tags and other refs it has. */
  async refCount(id: string): Promise<number> {
    const lines = await this.#git(id, ["for-each-ref", "--format=-"]);
    return lines === "" ? 0 : lines.split("\n").length;
  }

  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { recursive: true, force: true, maxRetries: 3 });
  }

  async ids(): Promise<string[]> {
    return (await readdir(this.root)).map((name) => name.replace(/\.git$/, "")).filter(isId);
  }

  /** Ids of the folders that nothing has changed at their top since then. */
  async unchangedSince(time: Date): Promise<string[]> {
    const old: string[] = [];
    for (const id of await this.ids()) {
      const stats = await stat(this.pathOf(id)).catch(() => undefined);
      if (stats && stats.mtime < time) old.push(id);
    }
    return old;
  }

  /** The folder of the repository. @throws Error for what is no id */
  pathOf(id: string): string {
    // An id comes from the database or from a folder's name; a path made of anything else could lead anywhere.
    if (!isId(id)) throw new Error("not the id of a repository");
    return join(this.root, `${id}.git`);
  }
}

/** A file that goes meanwhile, as a push's own do, holds nothing. */
async function bytesIn(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const inside = join(path, entry.name);
    bytes += entry.isDirectory()
      ? await bytesIn(inside)
      : await stat(inside).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return bytes;
}
