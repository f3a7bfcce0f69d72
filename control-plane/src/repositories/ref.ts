import { hasControlCharacter, invalid, quoted } from "../platform/invalid.ts";

/** Longer ones fit in no file system, and so in no repository. */
const REF_LENGTH_MAX = 255;

/**
 * Whether the text can be a branch, tag or SHA by the rules of git check-ref-format, and can't be taken for an option
 * or a refspec. Whether it exists is found out by the clone.
 * @throws SvcError invalid_request
 */
export function checkRef(ref: string): void {
  const problem = problemOf(ref);
  if (problem !== undefined) throw invalid(`The ref ${quoted(ref)} can't be a branch, tag or commit: ${problem}.`);
}

function problemOf(ref: string): string | undefined {
  if (ref === "") return "it is empty; leave it out for the default branch";
  if (Buffer.byteLength(ref) > REF_LENGTH_MAX) return `it is longer than ${REF_LENGTH_MAX} bytes`;
  if (ref.startsWith("-")) return "it begins with -";
  if (hasControlCharacter(ref) || !ref.isWellFormed()) return "it holds a control or broken character";
  const forbidden = /[ ~^:?*[\\]/.exec(ref);
  if (forbidden) return `it holds ${quoted(forbidden[0])}`;
  if (ref.includes("..")) return "it holds ..";
  if (ref.includes("@{") || ref === "@") return "it holds @{ or is @";
  if (ref.startsWith("/") || ref.endsWith("/") || ref.includes("//")) return "a part between its slashes is empty";
  if (ref.endsWith(".")) return "it ends with a dot";
  const part = ref.split("/").find((component) => component.startsWith(".") || component.endsWith(".lock"));
  if (part !== undefined) return `its part ${quoted(part)} begins with a dot or ends with .lock`;
  return undefined;
}
