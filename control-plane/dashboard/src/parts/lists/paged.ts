import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { AGAIN_MS, isPassing } from "../../client/refusal.ts";
import { sentenceOf } from "../complaint.tsx";
import type { Loaded } from "../loaded.tsx";
import { useRefreshed } from "../refreshed.tsx";
import { withNewest, withOlder, type Page } from "../../text/pages.ts";

export interface Paged<T> extends Loaded<readonly T[]> {
  /** Adds the next page; undefined when there is none. */
  more: (() => Promise<void>) | undefined;
}

/** Loads one page; without a cursor the first. */
type LoadPage<T> = (cursor: string | undefined) => Promise<Page<T>>;

/**
 * Loads the first page of a list, again whenever `about` changes, and further pages when asked to. While the service is away, it
 * is tried again.
 * @param about what the list is of, as text: an answer about something else is dropped
 */
export function usePaged<T>(about: string, load: LoadPage<T>): Paged<T> {
  const page = useSignal<Page<T> | undefined>(undefined);
  const refusal = useSignal("");
  const wanted = useRef(about);
  wanted.current = about;
  const again = useRef<ReturnType<typeof setTimeout>>(undefined);

  async function reload() {
    clearTimeout(again.current);
    try {
      const loaded = await loadRows(load, page.peek()?.rows.length ?? 0);
      if (wanted.current !== about) return;
      page.value = loaded;
      refusal.value = "";
    } catch (error) {
      if (wanted.current !== about) return;
      refusal.value = sentenceOf(error);
      if (isPassing(error)) again.current = setTimeout(() => void reload(), AGAIN_MS);
    }
  }
  async function addPage(cursor: string) {
    const older = await load(cursor);
    if (wanted.current === about) page.value = withOlder(page.peek(), cursor, older);
  }

  useLayoutEffect(() => {
    page.value = undefined;
    refusal.value = "";
    void reload();
    return () => clearTimeout(again.current);
  }, [about]);
  const next = page.value?.next;
  return {
    value: page.value?.rows,
    refusal: refusal.value,
    reload,
    more: next === undefined ? undefined : () => addPage(next),
  };
}

/** Loads the first page, and as many more as it takes for what was shown before. */
async function loadRows<T>(load: LoadPage<T>, count: number): Promise<Page<T>> {
  let page = await load(undefined);
  while (page.next !== undefined && page.rows.length < count) page = withOlder(page, page.next, await load(page.next))!;
  return page;
}

/** Loads the newest page of a list again every few seconds. Older pages stay as they were when they were asked for. */
export function useRefreshedPages<T extends { id: string }>(load: LoadPage<T>): Paged<T> {
  const newest = useRefreshed(() => load(undefined));
  const shown = useRef<Page<T> | undefined>(undefined);
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
