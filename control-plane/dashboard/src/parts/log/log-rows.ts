import { ansiRuns } from "../../text/log/ansi.ts";
import type { LineStore } from "../../text/log/line-store.ts";
import { adoptStyle } from "../style/adopt-style.ts";
import style from "./log.css";

/** The colors of terminals, whose values log.css has; the bright eight look as the others do. */
const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const looks = [...COLORS, ...COLORS].map((name, color) => {
  const value = `var(--ansi-${name})`;
  return `.color-${color} { color: ${value} } .page-${color} { background: ${value}; color: var(--page) }`;
});
adoptStyle([style, ...looks].join("\n"));

/** Height of a row in CSS pixels; the style sheet has the same. */
export const ROW_PX = 16;
const ROWS_BEYOND = 8;

/**
 * Draws the lines that can be seen, and no others: a row is an element that is used again for another line. It is no part
 * of the page's tree of components, which would look at each row at each line that comes.
 */
export class LogRows {
  readonly #box: HTMLElement;
  readonly #space: HTMLElement;
  readonly #rows = new Map<number, HTMLElement>();
  #lines: readonly number[] | undefined;
  #frame = 0;
  #base = 0;
  /** Lines that the box was made as high as. */
  #drawn = 0;
  /** The newest line stays in view. */
  follows = true;
  readonly #store: LineStore;
  readonly #onDraw: () => void;

  /**
   * @param box scrolls
   * @param space is as high as all lines together
   * @param onDraw is called after each drawing
   */
  constructor(box: HTMLElement, space: HTMLElement, store: LineStore, onDraw: () => void) {
    [this.#box, this.#space, this.#store, this.#onDraw] = [box, space, store, onDraw];
  }

  /** Draws with the browser's next frame, however many lines come until then. */
  later(): void {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  /** Shows these lines alone, by their numbers; undefined: all. */
  only(lines: readonly number[] | undefined): void {
    this.#lines = lines;
    this.#clear();
    this.later();
  }

  /** Whether the newest line that was drawn can be seen: others may have come since. */
  get isAtEnd(): boolean {
    return this.#box.scrollTop >= this.#drawn * ROW_PX - this.#box.clientHeight - ROW_PX;
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  get #count(): number {
    return this.#lines?.length ?? this.#store.end - this.#store.start;
  }

  #draw(): void {
    this.#frame = 0;
    this.#forget();
    this.#resize();
    if (this.follows) this.#box.scrollTop = this.#count * ROW_PX;
    const top = Math.floor(this.#box.scrollTop / ROW_PX);
    const from = Math.max(0, top - ROWS_BEYOND);
    const to = Math.min(this.#count, top + Math.ceil(this.#box.clientHeight / ROW_PX) + ROWS_BEYOND);
    const free: HTMLElement[] = [];
    for (const [index, row] of this.#rows) {
      if (index >= from && index < to) continue;
      this.#rows.delete(index);
      free.push(row);
    }
    for (let index = from; index < to; index++) {
      if (this.#rows.has(index)) continue;
      const row = free.pop() ?? document.createElement("div");
      this.#fill(row, index);
      this.#rows.set(index, row);
      if (!row.isConnected) this.#space.append(row);
    }
    for (const row of free) row.remove();
    this.#onDraw();
  }

  /** Keeps in place what a reader looks at, when the oldest lines go. */
  #forget(): void {
    const gone = this.#store.start - this.#base;
    this.#base = this.#store.start;
    if (gone === 0 || this.#lines !== undefined) return;
    if (!this.follows) this.#box.scrollTop -= gone * ROW_PX;
    this.#clear();
  }

  #clear(): void {
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
  }

  #resize(): void {
    this.#drawn = this.#count;
    const height = `${this.#drawn * ROW_PX}px`;
    if (this.#space.style.height !== height) this.#space.style.height = height;
  }

  #fill(row: HTMLElement, index: number): void {
    const number = this.#lines?.[index] ?? this.#store.start + index;
    row.style.transform = `translateY(${index * ROW_PX}px)`;
    row.replaceChildren(...ansiRuns(this.#store.line(number)).map(elementOf));
  }
}

function elementOf({ text, classes }: { text: string; classes: string }): Node {
  if (classes === "") return document.createTextNode(text);
  const element = document.createElement("span");
  element.className = classes;
  element.textContent = text;
  return element;
}
