/**
 * The bytes that one run's log may fill on disk: many times a long build's output, and 50 deploys of it still fit a
 * small disk.
 */
export const LOG_BYTES_MAX = 16 * 1024 * 1024;

/** A failed build says why at its end, so the end is kept too. */
export const TAIL_LINES_MAX = 200;
export const TAIL_BYTES_MAX = 64 * 1024;

/** Decides which lines of a run's log are kept: the first LOG_BYTES_MAX bytes, and a short tail of what follows. */
export class LogBudget {
  #left = LOG_BYTES_MAX;
  #full = false;
  #tail: string[] = [];
  #tailBytes = 0;
  #dropped = 0;

  /** True when the line is to be written now; else it is in the tail, or counted as dropped. */
  admit(line: string): boolean {
    const bytes = Buffer.byteLength(line) + 1;
    if (!this.#full && bytes <= this.#left) {
      this.#left -= bytes;
      return true;
    }
    // Once one line did not fit, none after it is admitted: the log has one gap, not many.
    this.#full = true;
    this.#tail.push(line);
    this.#tailBytes += bytes;
    if (this.#tail.length > TAIL_LINES_MAX * 2 || this.#tailBytes > TAIL_BYTES_MAX * 2) this.#trimTail();
    return false;
  }

  /** Returns what is written at the end of the run; undefined when every line was admitted. */
  rest(): { lines: string[]; dropped: number } | undefined {
    if (!this.#full) return undefined;
    this.#trimTail();
    return { lines: this.#tail, dropped: this.#dropped };
  }

  /** Cut back to the limits only when twice over them, so that it costs little per line. */
  #trimTail(): void {
    let from = Math.max(0, this.#tail.length - TAIL_LINES_MAX);
    let bytes = this.#tail.slice(from).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    while (bytes > TAIL_BYTES_MAX) bytes -= Buffer.byteLength(this.#tail[from++]!) + 1;
    this.#dropped += from;
    this.#tail = this.#tail.slice(from);
    this.#tailBytes = bytes;
  }
}
