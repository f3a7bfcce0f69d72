import { posix } from "node:path";

/** This is as long as a name of a file may be on the usual file systems. */
export const ROOT_LENGTH_MAX = 255;

/** A relative path of printable characters, with `/` between its names; none of these is `..` or `.git`. */
export const ROOT = /^(?!\/)(?!(?:.*\/)?(?:\.\.|\.git)(?:\/|$))[^\p{C}\\]+$/u;

/**
 * The folder of a repository that an app is built from, as git names it: without `./` in front and `/` at the end; empty for
 * the repository's top. Undefined when the text names no folder that a repository can have.
 */
export function rootFolder(text: string): string | undefined {
  if (text.length > ROOT_LENGTH_MAX || !ROOT.test(text)) return undefined;
  const path = posix.normalize(text).replace(/\/$/, "");
  return path === "." ? "" : path;
}

/** The rule for a root, as the end of a sentence. */
export const ROOT_RULE =
  `a folder of the repository, such as apps/web: a relative path without \`..\`, of at most ${ROOT_LENGTH_MAX} printable ` +
  "characters";
