import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { AGAIN_MS, isPassing } from "../client/refusal.ts";
import { Complaint, sentenceOf } from "./complaint.tsx";

export interface Loaded<T> {
  value: T | undefined;
  refusal: string;
  /** Resolves when the new value is there. */
  reload(): Promise<void>;
}

/**
 * Loads a value when the page opens, and again when asked to; the old one is shown until then. While the service is away, it is
 * tried again.
 * @param about what the value depends on, as text: it is loaded again when that changes
 */
export function useLoaded<T>(load: () => Promise<T>, about = ""): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const refusal = useSignal("");
  const again = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isShown = useRef(true);
  const loads = useRef({ begun: 0, shown: 0 });
  async function reload() {
    clearTimeout(again.current);
    const turn = ++loads.current.begun;
    try {
      const loaded = await load();
      // A slow answer never takes the place of one that was asked for later.
      if (turn < loads.current.shown) return;
      loads.current.shown = turn;
      value.value = loaded;
      refusal.value = "";
    } catch (error) {
      refusal.value = sentenceOf(error);
      if (isPassing(error) && isShown.current) again.current = setTimeout(() => void reload(), AGAIN_MS);
    }
  }
  // Before the page is painted: a frame is as long as an answer takes.
  useLayoutEffect(() => void reload(), [about]);
  useLayoutEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      clearTimeout(again.current);
    };
  }, []);
  return { value: value.value, refusal: refusal.value, reload };
}

/** The children once the value is there; before, that it is awaited, or why it does not come. */
export function Show<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  return (
    <>
      {of.refusal !== "" && <Complaint sentence={of.refusal} />}
      {of.value === undefined ? of.refusal === "" && <p class="hint loading">Loading …</p> : children(of.value)}
    </>
  );
}
