import type { SyntaxNode } from "@lezer/common";
import { childrenOf, plainString, textOf, type ParsedScript } from "./parse-javascript.ts";

/** Returns the value of an environment variable while the app is built; undefined where that can't be told. */
export type BuildVariable = (name: string) => { value: string | undefined } | undefined;

/** The value of an expression, as far as it follows from texts and from the environment. */
type Known = { value: string | boolean | undefined } | undefined;

export interface ConditionReader {
  script: ParsedScript;
  variable: BuildVariable;
  /** The one expression that a name stands for. */
  valueOf(name: SyntaxNode): SyntaxNode | undefined;
}

/** Deeper than a person writes; a name that is made of itself ends here. */
const DEPTH_MAX = 20;

/** Whether a condition holds while the app is built; undefined where only the build can tell. */
export function conditionHolds(reader: ConditionReader, node: SyntaxNode): boolean | undefined {
  const known = valueAt(reader, node, 0);
  return known && Boolean(known.value);
}

/** The variable that an expression reads: `process.env.CI`, `process.env["CI"]`. */
function environmentName(script: ParsedScript, node: SyntaxNode): string | undefined {
  if (node.name !== "MemberExpression") return undefined;
  const [, name, quoted] =
    /^process\.env(?:\.([A-Za-z_]\w*)|\[["']([A-Za-z_]\w*)["']\])$/.exec(textOf(script, node)) ?? [];
  return name ?? quoted;
}

function valueAt(reader: ConditionReader, node: SyntaxNode, depth: number): Known {
  if (depth > DEPTH_MAX) return undefined;
  const at = (one: SyntaxNode | undefined): Known => one && valueAt(reader, one, depth + 1);
  const children = childrenOf(node);
  switch (node.name) {
    case "ParenthesizedExpression":
      return at(children[1]);
    case "BooleanLiteral":
      return { value: textOf(reader.script, node) === "true" };
    case "VariableName":
      return textOf(reader.script, node) === "undefined" ? { value: undefined } : at(reader.valueOf(node));
    case "MemberExpression": {
      const name = environmentName(reader.script, node);
      return name === undefined ? undefined : reader.variable(name);
    }
    case "UnaryExpression": {
      const known = textOf(reader.script, children[0]!) === "!" ? at(children[1]) : undefined;
      return known && { value: !known.value };
    }
    case "BinaryExpression":
      return binary(textOf(reader.script, children[1]!), at(children[0]), () => at(children[2]));
    default: {
      const value = plainString(reader.script, node);
      return value === undefined ? undefined : { value };
    }
  }
}

function binary(operator: string, left: Known, readRight: () => Known): Known {
  if (operator === "&&") return left && (left.value ? readRight() : left);
  if (operator === "||") return left && (left.value ? left : readRight());
  const right = readRight();
  if (!left || !right) return undefined;
  if (operator === "===" || operator === "==") return { value: left.value === right.value };
  return operator === "!==" || operator === "!=" ? { value: left.value !== right.value } : undefined;
}
