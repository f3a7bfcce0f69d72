import { posix } from "node:path";

/** A person's patterns are some ten, with some ten characters each. */
const GLOBS_MAX = 50;
const GLOB_LENGTH_MAX = 100;

/**
 * Whether one of the patterns is of the folder (`apps/*`, `packages/**`, `./web`, `{apps,packages}/*`), and none that begins
 * with `!`. Takes time in proportion to the lengths, whatever the patterns are.
 */
export function isMatched(folder: string, globs: readonly string[]): boolean {
  const used = globs.slice(0, GLOBS_MAX);
  const matches = (glob: string) => alternatives(glob).some((one) => matchesPath(one.split("/"), folder.split("/")));
  const [excluding, including] = [true, false].map((isOut) => used.filter((glob) => glob.startsWith("!") === isOut));
  return including!.some(matches) && !excluding!.some((glob) => matches(glob.slice(1)));
}

/** One pattern for each of the words between braces. */
function alternatives(glob: string): string[] {
  let all = [glob.slice(0, GLOB_LENGTH_MAX)];
  for (
    let braces = /\{([^{}]*)\}/.exec(all[0]!);
    braces && all.length < GLOBS_MAX;
    braces = /\{([^{}]*)\}/.exec(all[0]!)
  ) {
    const [text, words] = braces;
    all = all.flatMap((one) => words!.split(",").map((word) => one.replace(text, () => word)));
  }
  return all.map((one) => posix.normalize(one).replace(/\/$/, ""));
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
