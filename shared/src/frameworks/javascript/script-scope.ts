import type { SyntaxNode } from "@lezer/common";
import { childrenOf, plainString, textOf, type ParsedScript } from "./parse-javascript.ts";

/** The meaning of a name where it is used. */
export type Binding =
  | { kind: "import"; from: string }
  | { kind: "function"; node: SyntaxNode }
  /** The first value, and those that are assigned later. */
  | { kind: "values"; nodes: readonly SyntaxNode[] };

/** An assignment to a property of a variable: `config.output = "export"`. */
export interface PropertyAssignment {
  /** Is undefined for a name that is computed. */
  path: readonly (string | undefined)[];
  value: SyntaxNode;
  /** The value is assigned whatever happens. */
  isCertain: boolean;
}

interface Declaration {
  node: SyntaxNode;
  /** A name or a pattern, and the value that it is declared with. */
  target?: SyntaxNode;
  value?: SyntaxNode | undefined;
}

/** Deeper than a person nests blocks and objects. */
const ANCESTORS_MAX = 200;

/** Looks up names by the scopes of JavaScript. Everything is indexed once, so that each look-up is quick. */
export class ScriptScope {
  readonly #script: ParsedScript;
  readonly #declarations = new Map<string, Declaration>();
  readonly #values = new Map<string, SyntaxNode[]>();
  readonly #properties = new Map<string, PropertyAssignment[]>();

  constructor(script: ParsedScript) {
    this.#script = script;
    script.top.cursor().iterate(({ name, node }) => {
      if (name === "AssignmentExpression") this.#indexAssignment(node);
      else if (name === "ParamList" && node.parent !== null) this.#declare(node.parent, { node, target: node });
      else if (/^(?:Variable|Import|Function)Declaration$/.test(name)) this.#indexDeclaration(node);
    });
  }

  /** Stands in the order of the file. */
  propertiesAssignedTo(name: string): readonly PropertyAssignment[] {
    return this.#properties.get(name) ?? [];
  }

  /** Finds the meaning of the name at `use`; undefined for a parameter, a part of a value and a global name. */
  lookUp(name: string, use: SyntaxNode): Binding | undefined {
    let scope = use.parent;
    for (let depth = 0; scope !== null && depth < ANCESTORS_MAX; depth += 1, scope = scope.parent) {
      const declaration = this.#declarations.get(scopeKey(scope, name));
      if (declaration !== undefined) return this.#binding(declaration, name);
    }
    return undefined;
  }

  #binding({ node, target, value }: Declaration, name: string): Binding | undefined {
    if (node.name === "FunctionDeclaration") return { kind: "function", node };
    if (node.name === "ParamList") return undefined;
    if (node.name === "ImportDeclaration") {
      const from = node.getChild("String");
      return from === null ? undefined : { kind: "import", from: plainString(this.#script, from) ?? "" };
    }
    const from = value && this.#requiredPackage(value);
    if (from !== undefined) return { kind: "import", from };
    if (target?.name !== "VariableDefinition") return undefined;
    const nodes = [...(value === undefined ? [] : [value]), ...(this.#values.get(name) ?? [])];
    return { kind: "values", nodes };
  }

  /** The package of `require("package")`, and of a property of that. */
  #requiredPackage(value: SyntaxNode): string | undefined {
    let call = value;
    while (call.name === "MemberExpression") call = call.firstChild!;
    if (call.name !== "CallExpression" || textOf(this.#script, call.firstChild!) !== "require") return undefined;
    const from = call.getChild("ArgList")?.getChild("String");
    return from ? plainString(this.#script, from) : undefined;
  }

  #indexDeclaration(node: SyntaxNode): void {
    const parent = node.parent?.name === "ExportDeclaration" ? node.parent.parent : node.parent;
    if (parent === null || (parent.name !== "Script" && parent.name !== "Block")) return;
    if (node.name === "ImportDeclaration") this.#declare(parent, { node, target: node });
    else if (node.name === "VariableDeclaration") {
      for (const declarator of declarators(node)) this.#declare(parent, { node, ...declarator });
    } else {
      const name = node.getChild("VariableDefinition");
      if (name !== null) this.#declare(parent, { node, target: name });
    }
  }

  #declare(scope: SyntaxNode, declaration: Declaration): void {
    for (const name of namesIn(this.#script, declaration.target!)) {
      const key = scopeKey(scope, name);
      if (!this.#declarations.has(key)) this.#declarations.set(key, declaration);
    }
  }

  #indexAssignment(node: SyntaxNode): void {
    const [target, operator, value] = childrenOf(node);
    if (target === undefined || operator === undefined || value === undefined) return;
    const path: (string | undefined)[] = [];
    let at = target;
    while (at.name === "MemberExpression") {
      path.push(memberName(this.#script, at));
      at = at.firstChild!;
    }
    if (at.name !== "VariableName") return;
    const name = textOf(this.#script, at);
    const isCertain = operator.name === "Equals" && node.parent?.parent?.name === "Script";
    if (path.length === 0) append(this.#values, name, value);
    else append(this.#properties, name, { path: path.reverse(), value, isCertain });
  }
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function scopeKey(scope: SyntaxNode, name: string): string {
  return `${scope.name} ${scope.from} ${name}`;
}

/** The property that a member expression names; undefined when it is computed. */
export function memberName(script: ParsedScript, member: SyntaxNode): string | undefined {
  const name = member.getChild("PropertyName");
  if (name !== null) return textOf(script, name);
  const key = childrenOf(member)[2];
  return key === undefined ? undefined : plainString(script, key);
}

function declarators(declaration: SyntaxNode): { target: SyntaxNode; value: SyntaxNode | undefined }[] {
  const found: { target: SyntaxNode; value: SyntaxNode | undefined }[] = [];
  let isValue = false;
  for (const child of childrenOf(declaration)) {
    if (/^(?:VariableDefinition|ObjectPattern|ArrayPattern)$/.test(child.name)) {
      found.push({ target: child, value: undefined });
    } else if (isValue) {
      found.at(-1)!.value = child;
    }
    isValue = child.name === "Equals";
  }
  return found;
}

const NAME_HOLDERS = /^(?:ImportDeclaration|ImportGroup|ParamList|ObjectPattern|ArrayPattern|PatternProperty)$/;

/** The names that an import, a list of parameters or a pattern declares. */
function namesIn(script: ParsedScript, node: SyntaxNode): string[] {
  if (node.name === "VariableDefinition") return [textOf(script, node)];
  return NAME_HOLDERS.test(node.name) ? childrenOf(node).flatMap((child) => namesIn(script, child)) : [];
}
