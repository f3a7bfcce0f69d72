/** Longer names cannot be files of a repository on common file systems. */
const REF_LENGTH_MAX = 255;

const FORBIDDEN = /[ ~^:?*[\\]/;

/**
 * Why the text cannot be the name of a branch, a tag or a commit; undefined when it can. The rules are those of
 * `git check-ref-format --allow-onelevel`, and nothing that starts with `-`, which git would read as an option.
 */
export function refProblem(ref: string): string | undefined {
  if (ref === "") return "is empty";
  if (ref.length > REF_LENGTH_MAX) return `is longer than ${REF_LENGTH_MAX} characters`;
  if (ref.startsWith("-")) return "starts with a dash";
  if (ref === "@" || ref.includes("@{")) return "holds @ where git gives it a meaning";
  if (ref.includes("..")) return "holds two dots";
  if (FORBIDDEN.test(ref) || hasControlCharacter(ref)) {
    return "holds a character that names of branches and tags cannot have";
  }
  if (!ref.isWellFormed()) return "is not Unicode text";
  if (ref.endsWith(".")) return "ends with a dot";
  const parts = ref.split("/");
  if (parts.includes("")) return "has a slash at its start or end, or two in a row";
  if (parts.some((part) => part.startsWith("."))) return "has a part that starts with a dot";
  if (parts.some((part) => part.endsWith(".lock"))) return "has a part that ends with .lock";
  return undefined;
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\x7f");
}

/** A full object name, SHA-1 or SHA-256. */
export function isFullSha(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref);
}

/** What may be the start of one; git itself shortens to no fewer than 7. */
export function isShortSha(ref: string): boolean {
  return /^[0-9a-f]{7,63}$/i.test(ref) && !isFullSha(ref);
}
