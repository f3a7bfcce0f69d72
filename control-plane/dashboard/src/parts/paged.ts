import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { sentenceOf } from "./form.tsx";
import type { Loaded } from "./loaded.tsx";

interface Page<T> {
  rows: readonly T[];
  next: string | undefined;
}

export interface Paged<T> extends Loaded<readonly T[]> {
  /** Adds the next page; undefined when there is none. */
  more: (() => Promise<void>) | undefined;
}

/**
 * Loads the first page of a list, again whenever `about` changes, and further pages when asked to.
 * @param about what the list is of, as text: an answer about something else is dropped
 * @param load one page; without a cursor the first
 */
export function usePaged<T>(about: string, load: (cursor: string | undefined) => Promise<Page<T>>): Paged<T> {
  const page = useSignal<Page<T> | undefined>(undefined);
  const refusal = useSignal("");
  const wanted = useRef(about);
  wanted.current = about;

  async function reload() {
    try {
      const loaded = await load(undefined);
      if (wanted.current !== about) return;
      page.value = loaded;
      refusal.value = "";
    } catch (error) {
      if (wanted.current === about) refusal.value = sentenceOf(error);
    }
  }
  async function addPage(cursor: string) {
    const { rows, next } = await load(cursor);
    const before = page.peek();
    // Somebody has chosen something else, or has pressed twice.
    if (wanted.current === about && before?.next === cursor) page.value = { rows: [...before.rows, ...rows], next };
  }

  useEffect(() => {
    page.value = undefined;
    refusal.value = "";
    void reload();
  }, [about]);
  const next = page.value?.next;
  return {
    value: page.value?.rows,
    refusal: refusal.value,
    reload,
    more: next === undefined ? undefined : () => addPage(next),
  };
}
