import type { ComponentChildren } from "preact";
import { Complaint } from "./complaint.tsx";
import { type Loaded, ONCE, useRefreshed } from "./refreshed.tsx";

/**
 * Loads a value when the page opens, and again when asked to; the old one is shown until then. While the service is away, it is
 * tried again.
 * @param about what the value depends on, as text: it is loaded again when that changes
 */
export function useLoaded<T>(load: () => Promise<T>, about = ""): Loaded<T> {
  return useRefreshed(load, ONCE, about);
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
