import {
  DEPTH_MAX,
  repeatedKeys,
  saysNothing,
  type Found,
  type Located,
  type LocatedEntry,
  type Path,
  type ReadText,
} from "./located.ts";
import { isSpecVersion, SPEC_VERSIONS, type SpecVersion } from "./schema.ts";

/** Reads JSON (RFC 8259) with the place of every value, which `JSON.parse` does not tell. */
export function readJson(text: string): ReadText {
  const reader = new JsonReader(text);
  try {
    const root = reader.document();
    const found = root === undefined ? [saysNothing(0)] : reader.found;
    return { root, version: versionOf(root), found };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return {
      root: undefined,
      version: SPEC_VERSIONS[0],
      found: [{ offset: error.offset, path: [], message: error.message }],
    };
  }
}

function versionOf(root: Located | undefined): SpecVersion {
  const entry = root?.kind === "map" ? root.entries.find(({ key }) => key === "spec") : undefined;
  const version = entry?.value.kind === "scalar" ? entry.value.value : undefined;
  return isSpecVersion(version) ? version : SPEC_VERSIONS[0];
}

class SyntaxProblem extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class JsonReader {
  readonly found: Found[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Located | undefined {
    this.#skipSpace();
    if (this.#at === this.#text.length) return undefined;
    const root = this.#value([]);
    if (this.#at < this.#text.length) throw this.#unexpected("the end of the file");
    return root;
  }

  #value(path: Path): Located {
    if (path.length > DEPTH_MAX) throw new SyntaxProblem(this.#at, "is nested too deeply.");
    const offset = this.#at;
    const first = this.#text[offset];
    if (first === "{") return { kind: "map", offset, entries: this.#entries(path) };
    if (first === "[") return { kind: "list", offset, items: this.#items(path) };
    const value = first === '"' ? this.#string() : this.#numberOrLiteral();
    this.#skipSpace();
    return { kind: "scalar", offset, value };
  }

  #entries(path: Path): LocatedEntry[] {
    const entries: LocatedEntry[] = [];
    this.#list("}", () => {
      const keyOffset = this.#at;
      if (this.#text[keyOffset] !== '"') throw this.#unexpected("a name in double quotes");
      const key = this.#string();
      this.#skipSpace();
      this.#take(":");
      entries.push({ key, keyOffset, value: this.#value([...path, key]) });
    });
    this.found.push(...repeatedKeys(entries, path));
    return entries;
  }

  #items(path: Path): Located[] {
    const items: Located[] = [];
    this.#list("]", () => items.push(this.#value([...path, items.length])));
    return items;
  }

  /** The range from the opening bracket to after the closing one. */
  #list(end: "}" | "]", one: () => void): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#text[this.#at] === end) return this.#take(end);
    for (;;) {
      one();
      if (this.#text[this.#at] !== ",") break;
      this.#take(",");
    }
    if (this.#text[this.#at] !== end) throw this.#unexpected(`\`,\` or \`${end}\``);
    this.#take(end);
  }

  #string(): string {
    const [token] = /"(?:[^"\\\r\n]|\\.)*"/y.exec(this.#rest()) ?? [];
    if (token === undefined) throw new SyntaxProblem(this.#at, "a text in double quotes does not end on its line.");
    try {
      const value = JSON.parse(token) as string;
      this.#at += token.length;
      return value;
    } catch {
      throw new SyntaxProblem(
        this.#at,
        "a text holds a control character, or an escape (`\\`) that JSON does not have.",
      );
    }
  }

  #numberOrLiteral(): number | boolean | null {
    const [token] = /[\w+.-]+/y.exec(this.#rest()) ?? [];
    const literal = LITERALS.get(token ?? "");
    const isNumber = token !== undefined && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(token);
    if (token === undefined || (literal === undefined && !isNumber)) throw this.#unexpected("a value");
    this.#at += token.length;
    return literal === undefined ? Number(token) : literal;
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#unexpected(`\`${character}\``);
    this.#at += 1;
    this.#skipSpace();
  }

  #skipSpace(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #unexpected(expected: string): SyntaxProblem {
    const character = this.#text.codePointAt(this.#at);
    const what = character === undefined ? "the file ends here" : `${JSON.stringify(String.fromCodePoint(character))}`;
    return new SyntaxProblem(this.#at, `is not JSON: ${what}, where ${expected} is expected.`);
  }
}
