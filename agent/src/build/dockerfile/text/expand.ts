import type { Escape } from "./logical-lines.ts";

/** Values of variables; one that cannot be known is undefined, one that is not set is missing. */
export type Variables = Pick<ReadonlyMap<string, string | undefined>, "get" | "has">;

/** Linux takes no longer path, and variables that hold each other double their length with each. It ends there. */
const LENGTH_MAX = 4096;

/** Variables within the defaults of others: nobody writes more, and each is a call within a call. */
const DEPTH_MAX = 20;

/**
 * The word as BuildKit reads it: without quotes and escapes, its variables replaced; undefined where that cannot be
 * known here.
 */
export function expand(word: string, variables: Variables, escape: Escape): string | undefined {
  return new Expansion(word, variables, escape).all();
}

/** The word that expands to this text and nothing else. */
export function literal(text: string, escape: Escape): string {
  return [...text].map((char) => (["$", '"', "'", escape].includes(char) ? `${escape}${char}` : char)).join("");
}

class Expansion {
  readonly #chars: string;
  readonly #variables: Variables;
  readonly #escape: Escape;
  #at = 0;
  #depth = 0;
  #isKnown = true;

  constructor(word: string, variables: Variables, escape: Escape) {
    this.#chars = word;
    this.#variables = variables;
    this.#escape = escape;
  }

  all(): string | undefined {
    const text = this.#until("");
    return this.#isKnown && text.length <= LENGTH_MAX ? text : undefined;
  }

  #until(stop: string): string {
    let text = "";
    while (this.#at < this.#chars.length) {
      if (text.length > LENGTH_MAX) return this.#unknown();
      const char = this.#chars[this.#at++]!;
      if (char === stop) return text;
      if (char === "'") text += this.#single();
      else if (char === '"') text += this.#double();
      else if (char === "$") text += this.#variable();
      else if (char === this.#escape) text += this.#chars[this.#at++] ?? "";
      else text += char;
    }
    if (stop !== "") this.#isKnown = false;
    return text;
  }

  #single(): string {
    const end = this.#chars.indexOf("'", this.#at);
    if (end < 0) return this.#unknown();
    const text = this.#chars.slice(this.#at, end);
    this.#at = end + 1;
    return text;
  }

  #double(): string {
    let text = "";
    while (this.#at < this.#chars.length) {
      if (text.length > LENGTH_MAX) return this.#unknown();
      const char = this.#chars[this.#at++]!;
      if (char === '"') return text;
      const next = this.#chars[this.#at] ?? "";
      if (char === "$") text += this.#variable();
      else if (char === this.#escape && ['"', "$", this.#escape].includes(next)) {
        text += next;
        this.#at += 1;
      } else text += char;
    }
    return this.#unknown();
  }

  #variable(): string {
    const [simple] = /^[A-Za-z_]\w*/.exec(this.#chars.slice(this.#at)) ?? [];
    if (simple !== undefined) {
      this.#at += simple.length;
      return this.#value(simple) ?? "";
    }
    const [head, name, modifier] = /^\{([A-Za-z_]\w*)(\}|:?[-+])/.exec(this.#chars.slice(this.#at)) ?? [];
    // Positions, patterns, and whatever else a shell may know.
    if (head === undefined) return this.#unknown();
    this.#at += head.length;
    if (modifier === "}") return this.#value(name!) ?? "";
    if (this.#depth === DEPTH_MAX) return this.#unknown();
    this.#depth += 1;
    const other = this.#until("}");
    this.#depth -= 1;
    const value = this.#value(name!);
    const isSet = modifier!.startsWith(":") ? (value ?? "") !== "" : value !== undefined;
    if (modifier!.endsWith("+")) return isSet ? other : "";
    return isSet ? value! : other;
  }

  #value(name: string): string | undefined {
    const value = this.#variables.get(name);
    if (value === undefined && this.#variables.has(name)) this.#isKnown = false;
    return value;
  }

  #unknown(): string {
    this.#isKnown = false;
    this.#at = this.#chars.length;
    return "";
  }
}
