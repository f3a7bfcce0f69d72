import { posix } from "node:path";

/** A person's patterns are some ten, with some ten characters each, and two or three words between braces. */
const GLOBS_MAX = 50;
const GLOB_LENGTH_MAX = 100;
const ALTERNATIVES_MAX = 100;
const BRACES = /\{([^{}]*)\}/;

/**
 * Tells whether one of the patterns is of the folder (`apps/*`, `packages/**`, `./web`, `{apps,packages}/*`), and none that
 * begins with `!`. Each folder takes time in proportion to the lengths, whatever the patterns are.
 */
export function folderMatcher(globs: readonly string[]): (folder: string) => boolean {
  const used = globs.slice(0, GLOBS_MAX);
  const including = allAlternatives(used.filter((glob) => !glob.startsWith("!")));
  const excluding = allAlternatives(used.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  return (folder) => {
    const names = folder.split("/");
    const matches = (pattern: readonly string[]): boolean => matchesPath(pattern, names);
    return including.some(matches) && !excluding.some(matches);
  };
}

/** The names of each path that the patterns stand for. */
function allAlternatives(globs: readonly string[]): string[][] {
  const all = globs.flatMap((glob) => alternatives(glob.slice(0, GLOB_LENGTH_MAX))).slice(0, ALTERNATIVES_MAX);
  return all.map((one) => posix.normalize(one).replace(/\/$/, "").split("/"));
}

/** One pattern for each of the words between braces. */
function alternatives(glob: string): string[] {
  let all = [glob];
  for (let braces = BRACES.exec(glob); braces; braces = BRACES.exec(all[0]!)) {
    const [text, words] = braces;
    const next = all.flatMap((one) => words!.split(",").map((word) => one.replace(text, () => word)));
    all = next.slice(0, ALTERNATIVES_MAX);
  }
  return all;
}

function matchesPath(pattern: readonly string[], names: readonly string[]): boolean {
  return matchesAll(pattern, names, "**", (part, name) => matchesName(part, name));
}

function matchesName(pattern: string, name: string): boolean {
  return matchesAll([...pattern], [...name], "*", (part, character) => part === "?" || part === character);
}

/** Goes back to the last wildcard only: what it takes more is enough to find a match, if there is one. */
function matchesAll(
  pattern: readonly string[],
  items: readonly string[],
  wildcard: string,
  matches: (part: string, item: string) => boolean,
): boolean {
  let [at, last, taken] = [0, -1, 0];
  for (let item = 0; item < items.length;) {
    if (pattern[at] === wildcard) {
      [last, taken] = [at, item];
      at += 1;
    } else if (at < pattern.length && matches(pattern[at]!, items[item]!)) {
      at += 1;
      item += 1;
    } else if (last >= 0) {
      taken += 1;
      [at, item] = [last + 1, taken];
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((part) => part === wildcard);
}
