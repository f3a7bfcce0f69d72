import type { SyntaxNode } from "@lezer/common";
import type { FileTree } from "../repository/file-tree.ts";
import {
  childrenOf,
  parseJavaScript,
  SCRIPT_LENGTH_MAX,
  textOf,
  type ParsedScript,
} from "../javascript/parse-javascript.ts";

/** More pages than a person writes one by one. */
const PAGES_READ_MAX = 500;

/** Whether a page is rendered for each request: it has `export const prerender = false`. */
export function isAnyPageRendered(files: FileTree): boolean {
  const folders = ["src/pages"];
  let read = 0;
  let lengthParsed = 0;
  for (const folder of folders) {
    for (const name of files.list(folder)) {
      const path = `${folder}/${name}`;
      if (name.endsWith("/")) {
        folders.push(path.slice(0, -1));
        continue;
      }
      read += 1;
      if (read > PAGES_READ_MAX) return true;
      const text = files.read(path) ?? "";
      if (!/\bprerender\s*=\s*false\b/.test(text)) continue;
      lengthParsed += text.length;
      if (lengthParsed > SCRIPT_LENGTH_MAX || isRendered(name, text)) return true;
    }
  }
  return false;
}

/** @param text that has the setting, though perhaps in a comment; where nothing can be parsed, it counts as set */
function isRendered(name: string, text: string): boolean {
  const code = name.endsWith(".astro") ? frontMatter(text) : /\.[cm]?[jt]s$/.test(name) ? text : undefined;
  const script = code === undefined ? undefined : parseJavaScript(code);
  return script === undefined || childrenOf(script.top).some((statement) => setsPrerenderFalse(script, statement));
}

/** The code of an Astro page, between its first two fences. */
function frontMatter(text: string): string {
  const lines = text.split("\n");
  const isFence = (line: string): boolean => line.trimStart().startsWith("---");
  const start = lines.findIndex(isFence);
  const end = lines.findIndex((line, i) => i > start && isFence(line));
  return start === -1 || end === -1 ? "" : lines.slice(start + 1, end).join("\n");
}

function setsPrerenderFalse(script: ParsedScript, statement: SyntaxNode): boolean {
  const declaration = statement.name === "ExportDeclaration" ? statement.getChild("VariableDeclaration") : null;
  const parts = declaration === null ? [] : childrenOf(declaration).filter(({ name }) => name !== "TypeAnnotation");
  return parts.some((part, i) => {
    const value = parts[i + 2];
    return textOf(script, part) === "prerender" && value !== undefined && textOf(script, value) === "false";
  });
}
