import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { sentenceOf } from "./complaint.tsx";
import type { Loaded } from "./loaded.tsx";

/** A status page is to tell what is within 10 s, and so that it can't: an answer is late when the next look was due for a second. */
const EVERY_MS = 4_000;
const LATE_MS = 1_000;
const LATE = "The service does not answer. What is shown may be old.";

/**
 * Loads a value when the page opens, and again every few seconds while somebody looks at it. The last value stays when
 * a load fails, with the sentence that says so.
 * @param about what the value depends on, as text: it is loaded at once when that changes
 */
export function useRefreshed<T>(load: () => Promise<T>, everyMs = EVERY_MS, about = ""): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const refusal = useSignal("");
  const loads = useRef({ begun: 0, shown: 0, running: 0 });

  async function reload() {
    const turn = ++loads.current.begun;
    loads.current.running++;
    const late = setTimeout(() => {
      if (turn > loads.current.shown) refusal.value = LATE;
    }, everyMs + LATE_MS);
    const outcome = await load().then(
      (loaded) => ({ loaded, sentence: "" }),
      (error: unknown) => ({ loaded: value.peek(), sentence: sentenceOf(error) }),
    );
    clearTimeout(late);
    loads.current.running--;
    // A slow answer never takes the place of one that was asked for later.
    if (turn < loads.current.shown) return;
    loads.current.shown = turn;
    value.value = outcome.loaded;
    refusal.value = outcome.sentence;
  }

  // Before the page is painted: a frame is as long as an answer takes.
  useLayoutEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible" && loads.current.running === 0) void reload();
    };
    look();
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [about]);
  return { value: value.value, refusal: refusal.value, reload };
}
