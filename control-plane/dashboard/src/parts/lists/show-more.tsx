import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ActionButton } from "../action-button.tsx";
import type { Paged } from "./paged.ts";

interface ShowMoreProps {
  label: string;
  more: Paged<unknown>["more"];
}

/** The button that adds the next page of a list. The sentence that takes its place at the end takes its focus too. */
export function ShowMore({ label, more }: ShowMoreProps) {
  const hasAdded = useSignal(false);
  const end = useRef<HTMLParagraphElement>(null);
  const isEnd = more === undefined && hasAdded.value;
  useEffect(() => {
    if (isEnd) end.current?.focus();
  }, [isEnd]);

  if (more === undefined) {
    return isEnd ? (
      <p class="hint" tabIndex={-1} ref={end}>
        This is the end of the list.
      </p>
    ) : null;
  }
  async function act() {
    await more?.();
    hasAdded.value = true;
  }
  return <ActionButton label={label} act={act} />;
}
