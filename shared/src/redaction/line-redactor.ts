import { LINE_BYTES_MAX, LINE_CUT_SLACK_BYTES } from "../rules/log-line.ts";
import type { Redactor, RedactingLine } from "./redact.ts";

/** A line of so many bytes was cut, and goes on in the next one. */
const CUT_AT_BYTES = LINE_BYTES_MAX - LINE_CUT_SLACK_BYTES;

/** Redacts a stream of lines in which long lines arrive in pieces, so that no secret hides across a cut. */
export class LineRedactor {
  #redactor: Redactor;
  #open: RedactingLine | undefined;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The next line is redacted by it; the rest of one that goes on, still as its beginning was. */
  use(redactor: Redactor): void {
    this.#redactor = redactor;
  }

  /** Something complete that is no line of the log. */
  text(text: string): string {
    return this.#redactor.text(text);
  }

  push(lines: readonly string[]): string[] {
    return lines.map((line) => this.#line(line));
  }

  /** Returns the rest that was held back of a line whose end never came. */
  end(): string[] {
    const rest = this.#open?.end();
    this.#open = undefined;
    return rest ? [rest] : [];
  }

  #line(line: string): string {
    const goesOn = Buffer.byteLength(line) >= CUT_AT_BYTES;
    if (!goesOn && !this.#open) return this.#redactor.text(line);
    this.#open ??= this.#redactor.startLine();
    const text = this.#open.push(line);
    if (goesOn) return text;
    const rest = this.#open.end();
    this.#open = undefined;
    return text + rest;
  }
}
