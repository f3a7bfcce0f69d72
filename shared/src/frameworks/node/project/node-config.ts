import type { SyntaxNode } from "@lezer/common";
import { computedPath } from "../../javascript/computed-path.ts";
import { exportedValues } from "../../javascript/exported-values.ts";
import { ABSENT, allOf, OTHER, withoutNode, type Found, type Setting } from "../../repository/found-setting.ts";
import {
  childrenOf,
  parseJavaScript,
  plainString,
  textOf,
  type ParsedScript,
} from "../../javascript/parse-javascript.ts";
import { conditionHolds, type BuildVariable } from "../../javascript/script-condition.ts";
import { memberName, ScriptScope } from "../../javascript/script-scope.ts";

/** The object that a configuration file exports, as far as it can be known without running the file. */
export interface NodeConfig {
  /** @param path property names from the exported object: `["build", "outDir"]` */
  setting(path: readonly string[]): Setting;
  /** The package of the function whose result is at the path: `@astrojs/node` for `adapter: node()`. */
  packageCalledAt(path: readonly string[]): string | undefined;
  /** An option in the call of the package's plugin, in the list `plugins` of Vite and its like. */
  pluginOption(packageName: string, option: string): Setting;
}

/**
 * @param text undefined when there is no such file: everything is absent then
 * @param variable what decides conditions; without it they hold or not, nobody knows
 */
export function readNodeConfig(text: string | undefined, variable: BuildVariable = () => undefined): NodeConfig {
  const script = text === undefined ? undefined : parseJavaScript(text);
  if (script === undefined) {
    const setting = (): Setting => (text === undefined ? ABSENT : { kind: "unknown" });
    return { setting, packageCalledAt: () => undefined, pluginOption: setting };
  }
  const within = <T>(look: (reader: ConfigReader) => T, otherwise: T): T => {
    try {
      return look(new ConfigReader(script, variable));
    } catch (error) {
      // Nested too deep, or more than NODES_READ_MAX.
      if (error instanceof RangeError) return otherwise;
      throw error;
    }
  };
  return {
    setting: (path) => within((reader) => withoutNode(reader.exported(path)), { kind: "unknown" }),
    packageCalledAt: (path) => within((reader) => reader.packageCalledAt(path), undefined),
    pluginOption: (name, option) =>
      within((reader) => withoutNode(reader.pluginOption(name, option)), { kind: "unknown" }),
  };
}

/** The text of a setting that is a plain string. */
export function stringOf(setting: Setting): string | undefined {
  return setting.kind === "literal" && typeof setting.value === "string" ? setting.value : undefined;
}

/** Some hundred times what a long configuration needs; objects that contain one another many times over end here. */
const NODES_READ_MAX = 50_000;

/** Functions that make one configuration of several, of which the last wins. */
const MERGES = /^(?:Object\.assign|mergeConfig|merge|deepmerge|deepMerge)$/;

class ConfigReader {
  readonly #script: ParsedScript;
  readonly #variableOfBuild: BuildVariable;
  readonly #scope: ScriptScope;
  /** Variables whose values are being read, by the place of their first. */
  readonly #open = new Set<string>();
  #nodesRead = 0;

  constructor(script: ParsedScript, variable: BuildVariable) {
    this.#script = script;
    this.#variableOfBuild = variable;
    this.#scope = new ScriptScope(script);
  }

  exported(path: readonly string[]): Found {
    const found = exportedValues(this.#script).map((node) => this.#at(node, path, true));
    return found.at(-1) ?? ABSENT;
  }

  packageCalledAt(path: readonly string[]): string | undefined {
    const found = this.exported(path);
    return found.kind === "other" && found.node !== undefined ? this.#calledPackage(found.node) : undefined;
  }

  pluginOption(packageName: string, option: string): Found {
    const plugins = this.exported(["plugins"]);
    if (plugins.kind !== "other" || plugins.node === undefined) return plugins.kind === "other" ? OTHER : ABSENT;
    const calls: SyntaxNode[] = [];
    plugins.node.cursor().iterate(({ name, node }) => {
      if (name === "CallExpression" && this.#calledPackage(node) === packageName) calls.push(node);
    });
    const options = calls.map((call) => call.getChild("ArgList")).flatMap((list) => list && childrenOf(list)[1]);
    return allOf(options.map((node) => (node && node.name !== ")" ? this.#at(node, [option], false) : ABSENT)));
  }

  /** @param mayCall whether a function stands for what it returns, as in `defineConfig(() => ({}))` */
  #at(node: SyntaxNode, path: readonly string[], mayCall: boolean): Found {
    this.#nodesRead += 1;
    if (this.#nodesRead > NODES_READ_MAX) throw new RangeError("The configuration is too large to be read.");
    const children = (): SyntaxNode[] => {
      const all = childrenOf(node);
      this.#nodesRead += all.length;
      return all;
    };
    switch (node.name) {
      case "ParenthesizedExpression":
        return this.#at(children()[1]!, path, mayCall);
      case "SequenceExpression":
      case "AwaitExpression":
      case "PrefixCast":
        return this.#at(children().at(-1)!, path, mayCall);
      case "PostfixExpression":
        return this.#at(children()[0]!, path, mayCall);
      case "BinaryExpression":
        return this.#binary(children(), path, mayCall);
      case "ConditionalExpression":
        return this.#either(children(), path, mayCall);
      case "VariableName":
        return this.#variable(node, path, mayCall);
      case "MemberExpression":
        return this.#member(node, path, mayCall);
      case "ObjectExpression":
        return path.length === 0 ? { kind: "other", node } : this.#property(children(), path);
      case "CallExpression":
        return path.length === 0 ? this.#computed(node) : this.#call(children(), path);
      case "NewExpression":
        return path.length === 0 ? this.#computed(node) : OTHER;
      case "ArrowFunction":
      case "FunctionExpression":
      case "FunctionDeclaration":
        return mayCall ? this.#returned(node, path) : OTHER;
      case "BooleanLiteral":
        return path.length === 0 ? { kind: "literal", value: this.#text(node) === "true" } : ABSENT;
      case "null":
        return ABSENT;
      default: {
        const value = path.length === 0 ? plainString(this.#script, node) : undefined;
        return value === undefined ? { kind: "other", node } : { kind: "literal", value };
      }
    }
  }

  #computed(node: SyntaxNode): Found {
    const value = computedPath(this.#script, node, (part) => {
      const found = this.#at(part, [], false);
      return found.kind === "literal" && typeof found.value === "string" ? found.value : undefined;
    });
    return value === undefined ? { kind: "other", node } : { kind: "literal", value };
  }

  #binary([left, operator, right]: SyntaxNode[], path: readonly string[], mayCall: boolean): Found {
    const sign = this.#text(operator!);
    if (sign === "as" || sign === "satisfies") return this.#at(left!, path, mayCall);
    const holds = this.#holds(left!);
    if (sign === "&&" && holds !== undefined) return holds ? this.#at(right!, path, mayCall) : ABSENT;
    if (sign === "&&") return allOf([ABSENT, this.#at(right!, path, mayCall)]);
    if (sign !== "||" && sign !== "??") return OTHER;
    return allOf([left!, right!].map((one) => this.#at(one, path, mayCall)));
  }

  #either([condition, , first, , second]: SyntaxNode[], path: readonly string[], mayCall: boolean): Found {
    const holds = this.#holds(condition!);
    const taken = holds === undefined ? [first!, second!] : [holds ? first! : second!];
    return allOf(taken.map((one) => this.#at(one, path, mayCall)));
  }

  #holds(condition: SyntaxNode): boolean | undefined {
    const valueOf = (name: SyntaxNode): SyntaxNode | undefined => {
      this.#nodesRead += 1;
      const binding = this.#scope.lookUp(this.#text(name), name);
      return binding?.kind === "values" && binding.nodes.length === 1 ? binding.nodes[0] : undefined;
    };
    return conditionHolds({ script: this.#script, variable: this.#variableOfBuild, valueOf }, condition);
  }

  #variable(node: SyntaxNode, path: readonly string[], mayCall: boolean): Found {
    const name = this.#text(node);
    if (name === "undefined") return ABSENT;
    const binding = this.#scope.lookUp(name, node);
    if (binding?.kind === "function") return this.#at(binding.node, path, mayCall);
    if (binding?.kind !== "values") return OTHER;
    const key = `${name} ${binding.nodes[0]?.from}`;
    // A variable that is made of itself, `config = withPlugin(config)`, adds nothing to what it is otherwise.
    if (this.#open.has(key)) return { kind: "other" };
    this.#open.add(key);
    const values = binding.nodes
      .filter((value) => !this.#isMadeOf(value, name))
      .map((value) => this.#at(value, path, mayCall));
    this.#open.delete(key);
    return this.#withAssigned(name, path, values.length === 0 ? OTHER : allOf(values));
  }

  /** Whether the value is a call with the variable itself as its configuration. */
  #isMadeOf(value: SyntaxNode, name: string): boolean {
    const list = value.name === "CallExpression" ? value.getChild("ArgList") : null;
    return list !== null && childrenOf(list).some((one) => one.name === "VariableName" && this.#text(one) === name);
  }

  #withAssigned(name: string, path: readonly string[], first: Found): Found {
    let found = first;
    const assignments = this.#scope.propertiesAssignedTo(name);
    this.#nodesRead += assignments.length;
    for (const assigned of assignments) {
      if (assigned.path.some((part, i) => i < path.length && part !== path[i])) continue;
      if (assigned.path.length > path.length) continue;
      const value = this.#at(assigned.value, path.slice(assigned.path.length), false);
      found = assigned.isCertain ? value : allOf([found, value]);
    }
    return found;
  }

  #member(node: SyntaxNode, path: readonly string[], mayCall: boolean): Found {
    const name = memberName(this.#script, node);
    if (name === undefined || node.firstChild === null) return OTHER;
    const found = this.#at(node.firstChild, [name, ...path], mayCall);
    return found.kind === "literal" ? found : OTHER;
  }

  /** The last that says something wins, as in JavaScript. */
  #property(members: readonly SyntaxNode[], [first, ...rest]: readonly string[]): Found {
    for (const member of members.toReversed()) {
      if (member.name !== "Property") continue;
      const [key, mark, value] = childrenOf(member);
      if (key!.name === "Spread") {
        const spread = this.#at(mark!, [first!], false);
        if (spread.kind === "absent") continue;
        return rest.length === 0 ? spread : this.#at(mark!, [first!, ...rest], false);
      }
      if (this.#keyOf(key!) !== first) {
        if (this.#isMethod(member, first!)) return OTHER;
        continue;
      }
      if (mark === undefined) return this.#variable(key!, rest, false);
      return this.#text(mark) === ":" && value !== undefined ? this.#at(value, rest, false) : OTHER;
    }
    return ABSENT;
  }

  #keyOf(key: SyntaxNode): string | undefined {
    return key.name === "PropertyDefinition" ? this.#text(key) : plainString(this.#script, key);
  }

  /** Whether the member is `get name() {}` or `async name() {}`. */
  #isMethod(member: SyntaxNode, name: string): boolean {
    const own = member.getChild("PropertyDefinition");
    return own !== null && this.#text(own) === name;
  }

  /** A function that is given a configuration, such as `defineConfig` and `withMDX`, is taken to give it back. */
  #call([callee, ...more]: SyntaxNode[], path: readonly string[]): Found {
    const list = more.find(({ name }) => name === "ArgList");
    if (list === undefined) return OTHER;
    const given = childrenOf(list).filter(({ name }) => !/^(?:[(),]|String|ArrayExpression|Spread)$/.test(name));
    if (given.length === 0) return this.#calledFunction(callee!, path);
    if (MERGES.test(this.#text(callee!))) {
      const merged = given.toReversed().map((one) => this.#at(one, path, true));
      return merged.find(({ kind }) => kind !== "absent") ?? ABSENT;
    }
    const config = given.find(({ name }) => !/Function/.test(name)) ?? given[0]!;
    return this.#at(config, path, true);
  }

  #calledFunction(callee: SyntaxNode, path: readonly string[]): Found {
    const isHere = callee.name === "VariableName" || /Function|Parenthesized/.test(callee.name);
    return isHere ? this.#at(callee, path, true) : OTHER;
  }

  #returned(node: SyntaxNode, path: readonly string[]): Found {
    const body = childrenOf(node).at(-1)!;
    if (body.name !== "Block") return this.#at(body, path, false);
    const values: (SyntaxNode | undefined)[] = [];
    body.cursor().iterate(({ name, node }) => {
      this.#nodesRead += 1;
      if (/Function|Class|^Property$/.test(name)) return false;
      if (name === "ReturnStatement") values.push(childrenOf(node)[1]);
      return undefined;
    });
    return allOf(values.map((value) => (value === undefined ? ABSENT : this.#at(value, path, false))));
  }

  #calledPackage(node: SyntaxNode): string | undefined {
    if (node.name !== "CallExpression") return undefined;
    let callee = node.firstChild;
    while (callee?.name === "MemberExpression") callee = callee.firstChild;
    if (callee?.name !== "VariableName") return undefined;
    const binding = this.#scope.lookUp(this.#text(callee), callee);
    return binding?.kind === "import" ? binding.from : undefined;
  }

  #text(node: SyntaxNode): string {
    return textOf(this.#script, node);
  }
}
