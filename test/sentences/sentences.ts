import { parseSync, Visitor, type Node } from "oxc-parser";

/** Two words side by side, or one word with an end: what people read, apart from what only programs do. */
const PROSE = /\p{L}[\p{L}'’`"]*[,:;]? (?:\{[^}]*\} )*[\p{L}`"']|^\p{Lu}\p{L}+[.!?…]$|\} \p{L}|\p{L} \{/u;

/** An expression of this length is shown as it is; a longer one as `{…}`. */
const EXPRESSION_LENGTH_MAX = 40;

/**
 * The sentences in a source: every string, template and sum of both that holds prose, whoever shows it. So no message
 * escapes for being made in an unusual way. Tagged templates are left out: they are SQL.
 *
 * @param file its name tells the language
 */
export function sentencesOf(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} can't be parsed: ${errors[0].message}`);
  const sentences: string[] = [];
  /** Parts of sums and SQL: no sentences of their own. */
  const parts = new Set<Node>();
  const visit = (node: Node): void => {
    const text = textOf(node, source);
    if (text === undefined) return;
    if (node.type === "BinaryExpression") parts.add(node.left).add(node.right);
    if (!parts.has(node) && PROSE.test(text)) sentences.push(text);
  };
  new Visitor({
    BinaryExpression: visit,
    TemplateLiteral: visit,
    Literal: visit,
    JSXText: visit,
    TaggedTemplateExpression: ({ quasi }) => void parts.add(quasi),
  }).visit(program);
  return sentences;
}

/** @returns undefined for what makes no text */
function textOf(node: Node, source: string): string | undefined {
  if (node.type === "JSXText") return node.value.replaceAll(/\s+/g, " ").trim();
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral") {
    const parts = node.quasis.map(({ value }, i) => {
      const expression = node.expressions[i];
      return (value.cooked ?? value.raw) + (expression ? shown(expression, source) : "");
    });
    return parts.join("");
  }
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const sides = [node.left, node.right].map((side) => textOf(side, source));
  if (sides.every((side) => side === undefined)) return undefined;
  return sides.map((side, i) => side ?? shown(i === 0 ? node.left : node.right, source)).join("");
}

function shown(expression: Node, source: string): string {
  const text = source.slice(expression.start, expression.end);
  return text.length > EXPRESSION_LENGTH_MAX || /[\n`]/.test(text) ? "{…}" : `{${text}}`;
}
