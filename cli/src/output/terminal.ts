import type { Readable } from "node:stream";
import { printableText } from "./printable.ts";
import { styleOf, type Style } from "./style.ts";

interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

export interface TerminalParts {
  stdin: Readable & { isTTY?: boolean | undefined };
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** --json */
  json: boolean;
}

/** Where a command reads and writes: results on standard output, everything else on standard error. */
export class Terminal {
  readonly json: boolean;
  readonly stdin: TerminalParts["stdin"];
  readonly style: Style;
  readonly #stdout: Output;
  readonly #stderr: Output;

  constructor({ stdin, stdout, stderr, env, json }: TerminalParts) {
    this.json = json;
    this.stdin = stdin;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.style = styleOf(env, stdout.isTTY === true && !json);
  }

  /** Somebody looks at standard output as it is written. */
  get isLive(): boolean {
    return this.#stdout.isTTY === true && !this.json;
  }

  /** A question would reach a person. */
  get canAsk(): boolean {
    return this.stdin.isTTY === true && this.#stderr.isTTY === true && !this.json;
  }

  get columns(): number {
    // A terminal that does not know its size says 0.
    return this.#stdout.columns || 80;
  }

  /** The result: one JSON document with --json, else the text for people. A file gets it as it is. */
  result(value: unknown, text: string): void {
    if (this.json) this.write(`${JSON.stringify(value)}\n`);
    // It may hold what others wrote, which a terminal must not obey.
    else if (text !== "") this.write(`${this.isLive ? printableText(text) : text}\n`);
  }

  /** Standard output, as it is. */
  write(text: string): void {
    this.#stdout.write(text);
  }

  /** Something beside the result. */
  note(text: string): void {
    this.#stderr.write(`${printableText(text)}\n`);
  }

  /** A question's text, without an end of line. */
  prompt(text: string): void {
    this.#stderr.write(text);
  }
}
