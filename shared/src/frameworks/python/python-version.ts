import { BASE_IMAGES } from "../base-images.ts";
import type { FileTree } from "../repository/file-tree.ts";

/** The version unless the repository says otherwise: the version that hosts can build an image of. */
const OFFERED = 11;

/** Minor versions of Python 3 that official images exist of, in the order in which they are preferred. */
const OTHERS = [12, 13, 14, 10, 9];

/**
 * The version that the repository names (`.python-version`, `runtime.txt`), else what is offered, as far as
 * `requires-python` allows it. A host that can't fetch another image than the offered one says so, and how to have it.
 *
 * @param requires a specifier of PEP 440, or Poetry's (`^3.10`); undefined when nothing is required
 */
export function choosePython(files: FileTree, requires: string | undefined) {
  const named = namedVersion(files);
  const known = [OFFERED, ...OTHERS];
  const preferred = known.filter((one) => named !== undefined && isMinor(named, one));
  const isAllowed = (one: number): boolean => requires === undefined || allowsPython(requires, one);
  const minor = [...preferred, ...known].find(isAllowed) ?? OFFERED;
  const image = minor === OFFERED ? BASE_IMAGES.python : `python:3.${minor}-slim`;
  const notes: string[] = [];
  if (requires !== undefined && !isAllowed(minor)) {
    notes.push(`The repository requires Python ${requires.slice(0, 50)}; it is built and run with Python 3.${minor}.`);
  } else if (minor !== OFFERED) {
    const reason = preferred.includes(minor) ? `asks for Python ${named}` : `requires Python ${requires?.slice(0, 50)}`;
    notes.push(`The repository ${reason}, so the image ${image} is used.`);
  }
  if (named !== undefined && !isMinor(named, minor)) {
    notes.push(`The repository asks for Python ${named}; it is built and run with Python 3.${minor}.`);
  }
  return { image, notes };
}

function namedVersion(files: FileTree): string | undefined {
  const text = files.read(".python-version") ?? files.read("runtime.txt");
  return /^\s*(?:c?python-?@?)?(\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)/.exec(text ?? "")?.[1];
}

/** Whether a version such as 3.11 or 3.11.4 is of Python 3.<minor>. */
function isMinor(version: string, minor: number): boolean {
  return `${version}.`.startsWith(`3.${minor}.`);
}

/** A person's specifier has some 20; a longer one rules nothing out. */
const SPECIFIER_CHARACTERS_MAX = 200;

/** Whether some release of Python 3.<minor> may satisfy the specifier; unknown words count as any. */
export function allowsPython(specifier: string, minor: number): boolean {
  if (specifier.length > SPECIFIER_CHARACTERS_MAX) return true;
  return specifier.split("||").some((alternative) => alternative.split(",").every((part) => allows(part, minor)));
}

function allows(part: string, minor: number): boolean {
  const match = /^\s*(>=|<=|==|!=|~=|>|<|\^|~)?\s*(\d+)(?:\.(\d+|\*))?(?:\.(\d+|\*))?/.exec(part);
  if (!match) return true;
  const [, operator = "==", major, second, third] = match;
  if (Number(major) !== 3) return Number(major) < 3 ? /^(?:>=|>|!=)$/.test(operator) : /^(?:<=|<|!=)$/.test(operator);
  const wanted = second === undefined || second === "*" ? undefined : Number(second);
  if (wanted === undefined) return operator !== "<" && operator !== "!=";
  const isWhole = third === undefined || third === "*" || third === "0";
  switch (operator) {
    case ">=":
    case "^":
      return minor >= wanted;
    case ">":
      return third === undefined ? minor > wanted : minor >= wanted;
    case "<=":
      return minor <= wanted;
    case "<":
      return isWhole ? minor < wanted : minor <= wanted;
    case "!=":
      return minor !== wanted || !(third === undefined || third === "*");
    case "~=":
      return third === undefined ? minor >= wanted : minor === wanted;
    default:
      return minor === wanted;
  }
}
