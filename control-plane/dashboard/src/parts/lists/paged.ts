import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Loaded, useRefreshed } from "../refreshed.tsx";
import { withNewest, withOlder, type Page } from "../../text/pages.ts";

export interface Paged<T> extends Loaded<readonly T[]> {
  /** Adds the next page; undefined when there is none. */
  more: (() => Promise<void>) | undefined;
}

/** Loads one page; without a cursor the first. */
type LoadPage<T> = (cursor: string | undefined) => Promise<Page<T>>;

/**
 * Loads the first page of a list, again every few seconds, and further pages when asked to.
 * @param reads the pages that are loaded again: the first, while others stay as they were when they were asked for, or all
 *   that are shown
 */
export function useRefreshedPages<T extends { id: string }>(
  load: LoadPage<T>,
  reads: "first" | "all" = "first",
): Paged<T> {
  const shown = useRef<Page<T> | undefined>(undefined);
  const countRead = () => (reads === "all" ? (shown.current?.rows.length ?? 0) : 0);
  const newest = useRefreshed(() => loadRows(load, countRead()));
  const added = useSignal(0);
  if (newest.value !== undefined) shown.current = withNewest(shown.current, newest.value);

  async function addPage(cursor: string) {
    const older = await load(cursor);
    shown.current = withOlder(shown.current, cursor, older);
    added.value++;
  }
  // A page that was added is shown at once.
  void added.value;
  const next = shown.current?.next;
  return {
    value: shown.current?.rows,
    refusal: newest.refusal,
    reload: newest.reload,
    more: next === undefined ? undefined : () => addPage(next),
  };
}

/** Loads the first page, and as many more as it takes for that many rows. */
async function loadRows<T>(load: LoadPage<T>, count: number): Promise<Page<T>> {
  let page = await load(undefined);
  while (page.next !== undefined && page.rows.length < count) page = withOlder(page, page.next, await load(page.next))!;
  return page;
}
