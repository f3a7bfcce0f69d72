import type { SyntaxNode } from "@lezer/common";
import { childrenOf, textOf, type ParsedScript } from "./parse-javascript.ts";

/** Lists the values that a file exports by default, in its order: the last holds. */
export function exportedValues(script: ParsedScript): SyntaxNode[] {
  return childrenOf(script.top).flatMap((statement) => {
    const [first, ...rest] = childrenOf(statement);
    if (statement.name === "ExportDeclaration") return ofDeclaration(script, rest);
    return first?.name === "AssignmentExpression" ? ofAssignment(script, first) : [];
  });
}

/** `export default config`, `export = config` and `export { config as default }`. */
function ofDeclaration(script: ParsedScript, [mark, value]: readonly SyntaxNode[]): SyntaxNode[] {
  if (mark?.name === "default" || mark?.name === "Equals") return value === undefined ? [] : [value];
  return mark?.name === "ExportGroup" && value?.name !== "from" ? namedDefault(script, mark) : [];
}

function namedDefault(script: ParsedScript, group: SyntaxNode): SyntaxNode[] {
  const names = childrenOf(group);
  const isText = (node: SyntaxNode | undefined, text: string): boolean =>
    node !== undefined && textOf(script, node) === text;
  return names.filter((_node, i) => isText(names[i + 1], "as") && isText(names[i + 2], "default"));
}

/** `module.exports = config` and `exports.default = config`. */
function ofAssignment(script: ParsedScript, assignment: SyntaxNode): SyntaxNode[] {
  const [target, operator, value] = childrenOf(assignment);
  const isExport =
    operator?.name === "Equals" && /^(?:module\.exports|exports\.default)$/.test(textOf(script, target!));
  return isExport && value !== undefined ? [value] : [];
}
