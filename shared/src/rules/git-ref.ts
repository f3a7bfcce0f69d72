/** Longer names are files in no common file system, and so in no repository. */
const REF_BYTES_MAX = 255;

const FORBIDDEN = /[ ~^:?*[\\]/;

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Why the text cannot be the name of a branch, a tag or a commit; undefined when it can. The rules are those of
 * `git check-ref-format --allow-onelevel`, and nothing that starts with `-`, which git would read as an option.
 */
export function refProblem(ref: string): string | undefined {
  if (ref === "") return "is empty";
  if (new TextEncoder().encode(ref).length > REF_BYTES_MAX) return `is longer than ${REF_BYTES_MAX} bytes`;
  if (ref.startsWith("-")) return "starts with a dash";
  if (ref === "@" || ref.includes("@{")) return "is @ or holds @{, which git reads as another name";
  if (ref.includes("..")) return "holds two dots";
  const forbidden = FORBIDDEN.exec(ref);
  if (forbidden) return `holds ${JSON.stringify(forbidden[0])}`;
  if (CONTROL_CHARACTER.test(ref) || !ref.isWellFormed()) return "holds a control or broken character";
  if (ref.endsWith(".")) return "ends with a dot";
  const parts = ref.split("/");
  if (parts.includes("")) return "has a slash at its start or end, or two in a row";
  if (parts.some((part) => part.startsWith("."))) return "has a part that starts with a dot";
  if (parts.some((part) => part.endsWith(".lock"))) return "has a part that ends with .lock";
  return undefined;
}

/** A full object name, SHA-1 or SHA-256. */
export function isFullSha(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref);
}

/** Whether the text may be the start of an object name; git itself shortens to no fewer than 7. */
export function isShortSha(ref: string): boolean {
  return /^[0-9a-f]{7,63}$/i.test(ref) && !isFullSha(ref);
}
