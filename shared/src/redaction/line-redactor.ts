import { LINE_BYTES_MAX, LINE_CUT_SLACK_BYTES } from "../rules/log-line.ts";
import type { Redactor, RedactingLine } from "./redact.ts";

/** A line of so many bytes was cut, and goes on in the next one. */
const CUT_AT_BYTES = LINE_BYTES_MAX - LINE_CUT_SLACK_BYTES;

/**
 * Redacts a stream of lines in which long lines arrive in pieces, so that no secret hides across a cut. A container has two
 * outputs whose pieces may stand between one another: each has an open line of its own.
 */
export class LineRedactor {
  #redactor: Redactor;
  /** By the output's number. */
  readonly #open = new Map<number, RedactingLine>();

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
    return lines.map((line) => this.line(line));
  }

  /** Returns the rests that were held back of lines whose end never came. */
  end(): string[] {
    const rests = [...this.#open.values()].map((line) => line.end());
    this.#open.clear();
    return rests.filter((rest) => rest !== "");
  }

  /**
   * @param output which of several outputs wrote it
   * @param goesOn the next line of the output is its rest; as far as its length tells, where nobody knows
   */
  line(line: string, output = 0, goesOn = Buffer.byteLength(line) >= CUT_AT_BYTES): string {
    let open = this.#open.get(output);
    if (!goesOn && !open) return this.#redactor.text(line);
    open ??= this.#redactor.startLine();
    const text = open.push(line);
    if (goesOn) this.#open.set(output, open);
    else this.#open.delete(output);
    return goesOn ? text : text + open.end();
  }
}
