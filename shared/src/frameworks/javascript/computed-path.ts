import type { SyntaxNode } from "@lezer/common";
import { posix } from "node:path";
import { childrenOf, textOf, type ParsedScript } from "./parse-javascript.ts";

/** Where the repository is while it is built, and so what a configuration finds as its own folder. */
export const BUILD_FOLDER = "/app";

const OWN_FOLDER = /^(?:__dirname|import\.meta\.dirname|process\.cwd\(\))$/;
const JOIN = /^(?:path\.)?(?:posix\.)?(resolve|join)$/;

/**
 * The absolute path of `path.resolve(__dirname, "dist")` and of `new URL("./dist", import.meta.url)`; undefined where
 * only running the file can tell.
 *
 * @param stringAt the plain string that an expression has
 */
export function computedPath(
  script: ParsedScript,
  node: SyntaxNode,
  stringAt: (node: SyntaxNode) => string | undefined,
): string | undefined {
  const [first, second] = childrenOf(node);
  const isNew = node.name === "NewExpression";
  const name = textOf(script, (isNew ? second : first) ?? node);
  const list = node.getChild("ArgList");
  const given = list === null ? [] : childrenOf(list).filter(({ name }) => !/^[(),]$/.test(name));
  if (isNew) {
    const isBeside = name === "URL" && given.length === 2 && textOf(script, given[1]!) === "import.meta.url";
    const path = isBeside ? stringAt(given[0]!) : undefined;
    return path === undefined || /^\w+:/.test(path) ? undefined : posix.resolve(BUILD_FOLDER, path);
  }
  if (name === "fileURLToPath") return given.length === 1 ? stringAt(given[0]!) : undefined;
  const join = JOIN.exec(name)?.[1];
  const parts = given.map((one) => (OWN_FOLDER.test(textOf(script, one)) ? BUILD_FOLDER : stringAt(one)));
  if (join === undefined || parts.length === 0 || parts.includes(undefined)) return undefined;
  const known = parts as string[];
  return join === "resolve" ? posix.resolve(BUILD_FOLDER, ...known) : posix.join(...known);
}
