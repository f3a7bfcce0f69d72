import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { sentenceOf } from "./form.tsx";
import type { Loaded } from "./loaded.tsx";

/** A status page is to tell what is within 10 s. */
const EVERY_MS = 4_000;

/**
 * Loads a value when the page opens, and again every few seconds while somebody looks at it. The last value stays when
 * a load fails, with the sentence that says so.
 */
export function useRefreshed<T>(load: () => Promise<T>, everyMs = EVERY_MS): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const refusal = useSignal("");
  const loading = useRef<Promise<void> | undefined>(undefined);

  async function read() {
    try {
      value.value = await load();
      refusal.value = "";
    } catch (error) {
      refusal.value = sentenceOf(error);
    }
  }
  /** One at a time: a slow answer never overwrites a newer one. */
  async function reload() {
    await loading.current;
    loading.current = read().finally(() => (loading.current = undefined));
    await loading.current;
  }

  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible" && loading.current === undefined) void reload();
    };
    look();
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return { value: value.value, refusal: refusal.value, reload };
}
