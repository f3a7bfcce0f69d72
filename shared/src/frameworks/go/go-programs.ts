import { posix } from "node:path";
import { SvcError } from "../../errors.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { theServer } from "../repository/server-name.ts";

/** A program of a Go module or workspace. */
export interface GoProgram {
  /** Folder of its package: ".", "cmd/web". */
  folder: string;
  /** Text of its main file. */
  source: string;
  /** Chosen among several by its name alone. */
  isGuess?: boolean;
}

/** Hundreds of modules; what is beyond is not looked at. */
const WORK_CHARACTERS_MAX = 32 * 1024;

/**
 * This is more than a person's workspace has, and more than has a program to choose from; each is read from the disk.
 */
const MODULES_MAX = 100;
const FOLDERS_MAX = 500;

/** Folders of the modules of a repository: those of go.work, else the root. */
export function goModules(files: FileTree): string[] {
  const work = files.read("go.work")?.slice(0, WORK_CHARACTERS_MAX);
  if (work === undefined) return ["."];
  const uses = [...work.matchAll(/^[ \t]*use[ \t]*\(([^)]{0,4000})\)|^[ \t]*use[ \t]+([^\s(]+)/gm)].flatMap(
    ([, block, single]) =>
      (block ?? single ?? "").split("\n").map((line) =>
        line
          .replace(/\/\/.*/, "")
          .trim()
          .replaceAll('"', ""),
      ),
  );
  const named = uses.filter((path) => path !== "").slice(0, MODULES_MAX);
  return named.map((path) => posix.normalize(path).replace(/\/$/, ""));
}

/**
 * The program to build: the only one; or the one at the root; or, of several, the one that is named as its module, or
 * the only one that is called a server.
 * @throws SvcError framework_unknown with the list when there is none or more than one
 */
export function chooseGoProgram(files: FileTree): GoProgram {
  let folders = 0;
  const isLooked = (): boolean => (folders += 1) <= FOLDERS_MAX;
  const programs = goModules(files).flatMap((module) => programsOf(files, module, isLooked));
  if (programs.length === 1) return programs[0]!;
  const atRoot = programs.find(({ folder }) => folder === ".");
  if (atRoot) return atRoot;
  const name = moduleName(files, ".");
  const named = programs.filter(({ folder }) => posix.basename(folder) === name);
  if (named.length === 1) return named[0]!;
  const server = theServer(programs, ({ folder }) => posix.basename(folder));
  if (server) return { ...server, isGuess: true };
  throw programs.length === 0 ? noProgram() : severalPrograms(programs);
}

/** Finds programs at a module's root, under cmd, and in the folders beside it. */
function programsOf(files: FileTree, module: string, isLooked: () => boolean): GoProgram[] {
  const below = (parent: string): string[] =>
    files.list(parent === "." ? "" : parent).flatMap((name) => {
      const isLeftOut =
        !name.endsWith("/") || /^(?:\.|_|vendor\/|testdata\/|internal\/|examples?\/|tools?\/|scripts?\/)/.test(name);
      return isLeftOut ? [] : [posix.join(parent, name.slice(0, -1))];
    });
  const command = posix.join(module, "cmd");
  const usual = [module, command, ...below(command)].filter(isLooked).flatMap((folder) => programIn(files, folder));
  return usual.length > 0
    ? usual
    : below(module)
        .filter(isLooked)
        .flatMap((folder) => programIn(files, folder));
}

function programIn(files: FileTree, folder: string): GoProgram[] {
  const names = files
    .list(folder === "." ? "" : folder)
    .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"));
  const main = names.find((name) => {
    const text = files.read(posix.join(folder, name)) ?? "";
    return /^package main\b/m.test(text) && /^func main\(\)/m.test(text) && !/^\/\/go:build ignore\b/m.test(text);
  });
  return main === undefined ? [] : [{ folder, source: files.read(posix.join(folder, main)) ?? "" }];
}

/** Last word of the module's path, its major version left out: "web" of "example.com/me/web/v2". */
export function moduleName(files: FileTree, folder: string): string | undefined {
  const path = /^[ \t]*module\s+"?([^\s"]+)/m.exec(files.read(posix.join(folder, "go.mod")) ?? "")?.[1];
  return path === undefined ? undefined : posix.basename(path.replace(/\/v\d+$/, ""));
}

const CHOOSE = "say which one with `build` in svc.yaml, such as `go build -o server ./cmd/web`.";

function noProgram(): SvcError {
  return new SvcError(
    "framework_unknown",
    "The Go module has no program: no file with `package main` and `func main()` at its root, under cmd, or in a folder " +
      `beside it. Add one, or ${CHOOSE}`,
  );
}

function severalPrograms(programs: readonly GoProgram[]): SvcError {
  const list = programs.map(({ folder }) => `./${folder}`).join(", ");
  return new SvcError(
    "framework_unknown",
    `The repository has several Go programs (${list}), and none is at the root, named as the module, or ` +
      `alone called a server. ` +
      `Name one as the module, or ${CHOOSE}`,
  );
}
