import type { SyntaxNode } from "@lezer/common";
import { childrenOf, parseJavaScript, plainString, textOf, type ParsedScript } from "./parse-javascript.ts";

/** Many times what the file that starts an app has; several files are read of each repository. */
const PARSED_LENGTH_MAX = 32 * 1024;

/** Lists the modules that a file of JavaScript or TypeScript imports, as written there; types alone are none. */
export function importedModules(text: string): string[] {
  if (text.length > PARSED_LENGTH_MAX) return foundInText(text);
  const script = parseJavaScript(text) ?? parseJavaScript(text, "jsx");
  return script === undefined ? foundInText(text) : foundInScript(script);
}

function foundInScript(script: ParsedScript): string[] {
  const modules: string[] = [];
  script.top.cursor().iterate(({ name, node }) => {
    const given = /^(?:(?:Im|Ex)portDeclaration|DynamicImport|CallExpression)$/.test(name)
      ? moduleOf(script, node)
      : null;
    const module = given ? plainString(script, given) : undefined;
    if (module !== undefined) modules.push(module);
  });
  return modules;
}

function moduleOf(script: ParsedScript, node: SyntaxNode): SyntaxNode | null {
  const [first, second] = childrenOf(node);
  if (node.name === "CallExpression") {
    return textOf(script, first!) === "require" ? (second?.getChild("String") ?? null) : null;
  }
  return second?.name === "type" ? null : node.getChild("String");
}

/** For long files, and for what the parser does not know, such as `import a = require("a")`: comments and texts count as well there. */
function foundInText(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\brequire\(|\bimport\(?)\s{0,100}["']([^"'\n]{1,200})["']/g)].map(
    ([, name]) => name!,
  );
}
