/** A line has up to 16 KiB: by their number alone a log would fill the browser's memory. These take 80 to 160 MB. */
const CHARACTERS_MAX = 80 * 1024 * 1024;

interface Batch {
  text: string;
  /** Where each line begins in the text. */
  starts: Uint32Array;
  /** Number of its first line. */
  first: number;
}

/**
 * Lines as they came: one string and one array of numbers for each batch, and no object for a line, so that a million of
 * them fit. Lines are numbered from 0 and keep their numbers when older ones are forgotten.
 */
export class LineStore {
  #batches: Batch[] = [];
  #end = 0;
  #characters = 0;
  readonly #linesMax: number;
  readonly #charactersMax: number;

  /**
   * Beyond one of the two, the oldest lines are forgotten, whole batches at a time.
   * @param charactersMax UTF-16 units of all lines together
   */
  constructor(linesMax: number, charactersMax = CHARACTERS_MAX) {
    [this.#linesMax, this.#charactersMax] = [linesMax, charactersMax];
  }

  /** Number of the oldest line that is kept. */
  get start(): number {
    return this.#batches[0]?.first ?? this.#end;
  }

  /** Number that the next line gets. */
  get end(): number {
    return this.#end;
  }

  add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const starts = new Uint32Array(lines.length);
    let at = 0;
    for (const [index, line] of lines.entries()) {
      starts[index] = at;
      at += line.length + 1;
    }
    this.#batches.push({ text: lines.join("\n"), starts, first: this.#end });
    this.#end += lines.length;
    this.#characters += at;
    this.#forgetOldest();
  }

  /** The newest batch stays, however large. */
  #forgetOldest(): void {
    let forgotten = 0;
    while (forgotten < this.#batches.length - 1) {
      const { text, first, starts } = this.#batches[forgotten]!;
      const isOld = first + starts.length <= this.#end - this.#linesMax;
      if (!isOld && this.#characters <= this.#charactersMax) break;
      this.#characters -= text.length + 1;
      forgotten += 1;
    }
    if (forgotten > 0) this.#batches.splice(0, forgotten);
  }

  /** The line of that number; empty when it is not kept. */
  line(number: number): string {
    const batch = this.#batchOf(number);
    if (batch === undefined) return "";
    const index = number - batch.first;
    const end = batch.starts[index + 1];
    return batch.text.slice(batch.starts[index], end === undefined ? undefined : end - 1);
  }

  /** All that is kept, for a file, below a line that says how many older ones are not. */
  text(): string {
    const head = this.start === 0 ? "" : `[${this.start} older lines are not kept here]\n`;
    return head + this.#batches.map(({ text }) => `${text}\n`).join("");
  }

  #batchOf(number: number): Batch | undefined {
    let [low, high] = [0, this.#batches.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#batches[middle]!.first <= number) low = middle;
      else high = middle - 1;
    }
    const batch = this.#batches[low];
    return batch !== undefined && number >= batch.first && number < batch.first + batch.starts.length
      ? batch
      : undefined;
  }
}
