import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** Beyond this a row is found sooner by writing its name. */
const SEARCHED_FROM = 8;

/** A phone draws this many rows without a delay that is felt. */
const ROWS_MAX = 200;

interface FoundProps<T> {
  all: readonly T[];
  nameOf(row: T): string;
  children(rows: readonly T[]): ComponentChildren;
}

/** The rows with what is written in their names, below a search when there are many, and a sentence when not all are drawn. */
export function Found<T>({ all, nameOf, children }: FoundProps<T>) {
  const words = useSignal("");
  const written = words.value.trim();
  const found = all.filter((row) => nameOf(row).toLowerCase().includes(written.toLowerCase()));
  return (
    <>
      {(all.length >= SEARCHED_FROM || written !== "") && (
        <label>
          Find{" "}
          <input
            type="search"
            value={words.value}
            onInput={({ currentTarget }) => (words.value = currentTarget.value)}
          />
        </label>
      )}
      {found.length === 0 && written !== "" ? (
        <p role="status">Nothing has “{written}” in its name.</p>
      ) : (
        children(found.slice(0, ROWS_MAX))
      )}
      {found.length > ROWS_MAX && (
        <p class="hint">{found.length - ROWS_MAX} more are not shown. Write a part of a name into Find.</p>
      )}
    </>
  );
}
