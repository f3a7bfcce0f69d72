import { eventBytes, type NewEvent } from "../events/deploy-events.store.ts";
import { OUTPUT_TAIL_BYTES } from "../events/output-tail.ts";

/** Stored as it comes: the whole log of an ordinary build. */
const FIRST_BYTES = 1024 * 1024;
/** A longer log grows about as fast as somebody can skim it. */
const BYTES_PER_SECOND = 1536;
/** Reached after half an hour, which is longer than a deploy's steps may take together. */
const BYTES_MAX = 3.5 * 1024 * 1024;
/** Progress that waits while there is no room: a later message says more than an earlier one. */
const PROGRESS_BYTES_MAX = 16 * 1024;

/**
 * Decides which of a step's lines are stored, and so shown live: all of them at first, then as many as time allows. Beyond
 * that the newest wait, at least as much as is kept of a step's output, and the others are counted as dropped. Nothing is
 * written only to be deleted again: a table that held it once keeps its size.
 */
export class LiveLog {
  readonly #stepOrder: number;
  #stored: number;
  #waiting: NewEvent[] = [];
  #dropped = 0;

  /** @param stored bytes of the deploy's log that are stored already */
  constructor(stepOrder: number, stored: number) {
    this.#stepOrder = stepOrder;
    this.#stored = stored;
  }

  push(events: readonly NewEvent[]): void {
    this.#waiting.push(...events);
  }

  /**
   * All that waits when there is room for it, else nothing.
   * @param runsForMs since the deploy began
   */
  take(runsForMs: number): NewEvent[] {
    if (!this.#fits(runsForMs)) this.#dropOldest();
    return this.#fits(runsForMs) ? this.#takeAll() : [];
  }

  /** All that waits, room or not: the step has ended, and its last lines say how. */
  end(runsForMs: number): NewEvent[] {
    if (!this.#fits(runsForMs)) this.#dropOldest();
    return this.#takeAll();
  }

  #fits(runsForMs: number): boolean {
    const allowed = Math.min(FIRST_BYTES + (runsForMs / 1000) * BYTES_PER_SECOND, BYTES_MAX);
    return this.#stored + sum(this.#waiting, eventBytes) <= allowed;
  }

  /** Down to the newest events that fill an output's tail, whole ones, and the newest progress among them. */
  #dropOldest(): void {
    let left = sum(this.#waiting, textBytes);
    let count = 0;
    for (const event of this.#waiting) {
      left -= textBytes(event);
      if (left < OUTPUT_TAIL_BYTES) break;
      this.#dropped += linesOf(event).length + Number(event.payload["dropped"] ?? 0);
      count += 1;
    }
    let progressBytes = 0;
    const isKept = (event: NewEvent): boolean =>
      event.kind !== "progress" || (progressBytes += eventBytes(event)) <= PROGRESS_BYTES_MAX;
    this.#waiting = this.#waiting.slice(count).reverse().filter(isKept).reverse();
  }

  #takeAll(): NewEvent[] {
    const gap = { kind: "log" as const, stepOrder: this.#stepOrder, payload: { lines: [], dropped: this.#dropped } };
    const taken = this.#dropped > 0 ? [gap, ...this.#waiting] : this.#waiting;
    this.#stored += sum(taken, eventBytes);
    [this.#waiting, this.#dropped] = [[], 0];
    return taken;
  }
}

const sum = (events: readonly NewEvent[], bytesOf: (event: NewEvent) => number): number =>
  events.reduce((bytes, event) => bytes + bytesOf(event), 0);

/** Counts as in the step's output, where every line ends with one byte more. */
const textBytes = (event: NewEvent): number =>
  linesOf(event).reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);

function linesOf({ payload }: NewEvent): string[] {
  return Array.isArray(payload["lines"]) ? (payload["lines"] as string[]) : [];
}
