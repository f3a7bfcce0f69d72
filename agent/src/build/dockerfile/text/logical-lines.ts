import { refused } from "./refusal.ts";
import { trimBlanks } from "./white-space.ts";

export type Escape = "\\" | "`";

/** An instruction's text, its continued lines joined. */
export interface LogicalLine {
  /** The number of its first line, from 1. */
  number: number;
  text: string;
}

export interface Source {
  escape: Escape;
  /** The front end that `# syntax=` names; undefined when the file names none. */
  syntax: string | undefined;
  /** The lines that hold anything; taking one moves the reader on. */
  lines: LineReader;
}

/** Its value is trimmed afterwards: a pattern that does so takes minutes for a million spaces. */
const DIRECTIVE = /^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=([^]*)$/;
const COMMENT = /^\s*#/;

/** The first lines of a file that are directives, as BuildKit knows them; what follows is instructions. */
export function readSource(text: string): Source {
  // Lines are split as BuildKit does: by line feeds alone, a carriage return before one belongs to it.
  const physical = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""));
  const directives = new Map<string, string>();
  for (const line of physical) {
    const [, name = "", text = ""] = DIRECTIVE.exec(line) ?? [];
    const value = text.trim();
    if (value === "") break;
    directives.set(name.toLowerCase(), value);
  }
  const escape = escapeOf(directives.get("escape"));
  return { escape, syntax: directives.get("syntax"), lines: new LineReader(physical, escape) };
}

function escapeOf(value: string | undefined): Escape {
  if (value === undefined || value === "\\") return "\\";
  if (value === "`") return "`";
  throw refused({ line: 1, name: "# escape" }, "it has to be \\ or `.");
}

/** Joins continued lines exactly as BuildKit does, so that one instruction is one line. */
class LineReader {
  readonly #physical: readonly string[];
  readonly #continued: RegExp;
  readonly #ambiguous: RegExp;
  readonly #escape: Escape;
  #next = 0;

  constructor(physical: readonly string[], escape: Escape) {
    const quoted = escape === "\\" ? "\\\\" : escape;
    this.#physical = physical;
    this.#escape = escape;
    this.#continued = new RegExp(`${quoted}[ \\t]*$`);
    this.#ambiguous = new RegExp(`${quoted}{2}[ \\t]*$`);
  }

  next(): LogicalLine | undefined {
    while (this.#next < this.#physical.length) {
      const number = this.#next + 1;
      const first = this.#physical[this.#next++]!;
      if (COMMENT.test(first)) continue;
      const text = trimBlanks(this.#joined(first.trimStart(), number));
      if (text.trim() !== "") return { number, text };
    }
    return undefined;
  }

  /** The next physical line as it is: what a heredoc holds. */
  raw(): string | undefined {
    return this.#physical[this.#next++];
  }

  #joined(first: string, number: number): string {
    const parts: string[] = [];
    let part = first;
    while (this.#isContinued(part, number)) {
      parts.push(part.replace(this.#continued, ""));
      // Comments and empty lines among continued ones are passed over.
      while (/^\s*(?:#|$)/.test(this.#physical[this.#next] ?? "x")) this.#next += 1;
      const following = this.#physical[this.#next];
      if (following === undefined) return parts.join("");
      this.#next += 1;
      part = following;
    }
    return [...parts, part].join("");
  }

  #isContinued(line: string, number: number): boolean {
    if (!this.#ambiguous.test(line)) return this.#continued.test(line);
    const problem = `a line of it ends with ${this.#escape}${this.#escape}, which some builders take for a continued line and others do not. Put something after it.`;
    throw refused({ line: number, name: line.split(/\s/, 1)[0]! }, problem);
  }
}
