import { BASE_IMAGES } from "./base-images.ts";
import type { FileTree } from "./framework.ts";

/** What is used unless the repository rules it out: the version that hosts can build an image of. */
const OFFERED = 11;

/** Minor versions of Python 3 that official images exist of, in the order in which they are preferred. */
const OTHERS = [12, 13, 14, 10, 9];

export interface PythonVersion {
  image: string;
  notes: string[];
}

/**
 * A version that `requires-python` rules out would fail, so another official image is taken then; what the repository
 * merely prefers (`.python-version`, `runtime.txt`) is noted.
 *
 * @param requires a specifier of PEP 440, or Poetry's (`^3.10`); undefined when nothing is required
 */
export function choosePython(files: FileTree, requires: string | undefined): PythonVersion {
  const minor = [OFFERED, ...OTHERS].find((one) => requires === undefined || allowsPython(requires, one)) ?? OFFERED;
  const image = minor === OFFERED ? BASE_IMAGES.python : `python:3.${minor}-slim`;
  const notes: string[] = [];
  if (minor !== OFFERED) {
    notes.push(`The repository requires Python ${requires?.slice(0, 50)}, so the image ${image} is used.`);
  } else if (requires !== undefined && !allowsPython(requires, minor)) {
    notes.push(`The repository requires Python ${requires.slice(0, 50)}; it is built and run with Python 3.${minor}.`);
  }
  const preferred = preferredVersion(files);
  if (preferred !== undefined && !new RegExp(String.raw`^3\.${minor}(?:\.|$)`).test(preferred)) {
    notes.push(`The repository asks for Python ${preferred}; it is built and run with Python 3.${minor}.`);
  }
  return { image, notes };
}

function preferredVersion(files: FileTree): string | undefined {
  const text = files.read(".python-version") ?? files.read("runtime.txt");
  return /^\s*(?:c?python-?@?)?(\d+\.\d+(?:\.\d+)?)/.exec(text ?? "")?.[1];
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
