import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/javascript";

export interface ParsedScript {
  top: SyntaxNode;
  text: string;
}

/** This is more than any configuration or page that a person writes; parsing this much takes under a second. */
export const SCRIPT_LENGTH_MAX = 256 * 1024;

/**
 * The parser is table-driven: no recursion on nested input, and no backtracking over types. Strict means that it ends at
 * the first error; its repair of broken input takes minutes where the input is made for it.
 */
const PARSERS = {
  ts: parser.configure({ dialect: "ts", strict: true }),
  jsx: parser.configure({ dialect: "ts jsx", strict: true }),
};

/** Import attributes, which the parser does not know: `import a from "a.json" with { type: "json" }`. */
const IMPORT_ATTRIBUTES = /(?<=["']\s{0,10})(?:with|assert)\s{0,10}\{[^{}]{0,200}\}/g;

/** The text as JavaScript or TypeScript, with or without JSX; undefined when it can't be parsed. */
export function parseJavaScript(text: string, dialect: keyof typeof PARSERS = "ts"): ParsedScript | undefined {
  if (text.length > SCRIPT_LENGTH_MAX) return undefined;
  const known = text.replace(/^\ufeff/, " ").replaceAll(IMPORT_ATTRIBUTES, (found) => " ".repeat(found.length));
  try {
    return { top: PARSERS[dialect].parse(known).topNode, text: known };
  } catch (error) {
    // Nested too deep for the stack, or no JavaScript.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The children of a node but comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (!child.name.endsWith("Comment")) children.push(child);
  }
  return children;
}

/** The text of a string without an escape or an interpolation; undefined when the node is no such string. */
export function plainString({ text }: ParsedScript, node: SyntaxNode): string | undefined {
  if (node.name !== "String" && node.name !== "TemplateString") return undefined;
  const inner = text.slice(node.from + 1, node.to - 1);
  return inner.includes("\\") || node.getChild("Interpolation") !== null ? undefined : inner;
}

export function textOf({ text }: ParsedScript, node: SyntaxNode): string {
  return text.slice(node.from, node.to);
}
