import type { FileTree } from "./repository/file-tree.ts";
import { readPackage } from "./node/project/node-package.ts";

/** This is as many as a person takes in. */
const NAMED_MAX = 5;

/**
 * Says in words what the root of a repository has that no framework is recognised by: "package.json has `build` but no
 * `start`".
 */
export function whatWasSeen(files: FileTree): string {
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
