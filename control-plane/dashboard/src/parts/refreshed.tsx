import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { sentenceOf } from "./complaint.tsx";
import { AGAIN_MS, isPassing } from "../client/refusal.ts";

export interface Loaded<T> {
  value: T | undefined;
  refusal: string;
  /** Resolves when the new value is there. */
  reload(): Promise<void>;
}

/** A status page is to tell what is within 10 s, and so that it can't: an answer is late when the next look was due for a second. */
const EVERY_MS = 4_000;
/** The pace of a value that is loaded when the page opens and when asked to, and at no other time. */
export const ONCE = Infinity;
/** An answer is late after this in any case. */
const LONGEST_MS = 15_000;
const LATE_MS = 1_000;
const LATE = "The service does not answer. What is shown may be old.";

/**
 * Loads a value when the page opens, again every few seconds while somebody looks at it, and at once when they come back to it.
 * The last value stays when a load fails, with the sentence that says so. While the service is away, it is tried again.
 * @param about what the value depends on, as text: it is loaded at once when that changes
 */
export function useRefreshed<T>(load: () => Promise<T>, everyMs = EVERY_MS, about = ""): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const refusal = useSignal("");
  const isAway = useSignal(false);
  const loads = useRef({ begun: 0, shown: 0, running: 0 });

  async function reload() {
    const turn = ++loads.current.begun;
    loads.current.running++;
    const late = setTimeout(
      () => {
        if (turn > loads.current.shown) refusal.value = LATE;
      },
      Math.min(everyMs, LONGEST_MS) + LATE_MS,
    );
    const outcome = await load().then(
      (loaded) => ({ loaded, sentence: "", isPassing: false }),
      (error: unknown) => ({ loaded: value.peek(), sentence: sentenceOf(error), isPassing: isPassing(error) }),
    );
    clearTimeout(late);
    loads.current.running--;
    // A slow answer never takes the place of one that was asked for later.
    if (turn < loads.current.shown) return;
    loads.current.shown = turn;
    value.value = outcome.loaded;
    refusal.value = outcome.sentence;
    isAway.value = outcome.isPassing;
  }

  const paceMs = isAway.value ? Math.min(AGAIN_MS, everyMs) : everyMs;

  // Before the page is painted: a frame is as long as an answer takes. A load that runs may be about what was before.
  useLayoutEffect(() => void reload(), [about]);
  useLayoutEffect(() => {
    if (paceMs === ONCE) return undefined;
    const look = () => {
      if (document.visibilityState === "visible" && loads.current.running === 0) void reload();
    };
    const timer = setInterval(look, paceMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [about, paceMs]);
  return { value: value.value, refusal: refusal.value, reload };
}
